//! The table of a card's prices.

use serde::Deserialize;

use super::{Positive, Text};
use crate::card::{LongPrices, Prices, TokenPrices};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriceTable {
    date: Date,
    source: Text,
    lent_by: Option<Text>,
    input: Price,
    cached_read: Price,
    cache_write: Price,
    cache_write_1h: Option<Price>,
    output: Price,
    long: Option<LongTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongTable {
    above: Positive,
    input: Price,
    cached_read: Price,
    cache_write: Price,
    cache_write_1h: Option<Price>,
    output: Price,
}

impl PriceTable {
    pub(super) fn into_prices(self) -> Prices {
        let Self { date, source, lent_by, input, cached_read, cache_write, cache_write_1h, output, long } = self;
        Prices {
            date: date.0,
            source: source.0,
            lent_by: lent_by.map(|model| model.0),
            usual: tokens([input, cached_read, cache_write, output], cache_write_1h),
            long: long.map(LongTable::into_prices),
        }
    }
}

impl LongTable {
    fn into_prices(self) -> LongPrices {
        let Self { above, input, cached_read, cache_write, cache_write_1h, output } = self;
        LongPrices { above: above.0, prices: tokens([input, cached_read, cache_write, output], cache_write_1h) }
    }
}

fn tokens(prices: [Price; 4], hour: Option<Price>) -> TokenPrices {
    let [input, cached_read, cache_write, output] = prices.map(|price| price.0);
    TokenPrices { input, cached_read, cache_write, cache_write_1h: hour.map(|price| price.0), output }
}

/// Dollars per million tokens. Above zero: relative prices divide by them, and a free model's card has no prices.
#[derive(Deserialize)]
#[serde(try_from = "f64")]
struct Price(f64);

impl TryFrom<f64> for Price {
    type Error = &'static str;

    fn try_from(price: f64) -> Result<Self, Self::Error> {
        if price.is_finite() && price > 0.0 {
            Ok(Self(price))
        } else {
            Err("a price is a number of dollars above 0; leave out the whole table for a model without prices")
        }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Date(String);

impl TryFrom<String> for Date {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = |piece: &str, length| piece.len() == length && piece.bytes().all(|byte| byte.is_ascii_digit());
        let pieces: Vec<&str> = text.split('-').collect();
        let fits = match pieces.as_slice() {
            [year, month] => digits(year, 4) && digits(month, 2),
            [year, month, day] => digits(year, 4) && digits(month, 2) && digits(day, 2),
            _ => false,
        };
        if fits { Ok(Self(text)) } else { Err(format!("\"{text}\" is no date: write 2026-11 or 2026-11-05")) }
    }
}
