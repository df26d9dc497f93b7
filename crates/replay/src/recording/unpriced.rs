//! What a call cost beside its tokens at the usual prices. No card has these prices: it is counted and named.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// Of one call, or of all of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Unpriced {
    /// Made by the provider's own tool, each at a price of its own.
    #[serde(skip_serializing_if = "is_zero")]
    pub web_searches: u64,
    /// How many calls were billed otherwise than usual, by why; one may be so for two reasons.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<Rate, u64>,
}

/// Why a call has other prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Answered faster.
    Fast,
    /// By servers of one region.
    Region,
    /// Among many that could wait.
    Batch,
    /// Before others.
    Priority,
    /// Behind others.
    Flex,
}

impl Rate {
    /// Behind "3 calls".
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Fast => "in fast mode",
            Self::Region => "for one region",
            Self::Batch => "in a batch",
            Self::Priority => "with priority",
            Self::Flex => "in flex processing",
        }
    }
}

impl Unpriced {
    /// As a usage, or the response around it, names them.
    pub(crate) fn of(usage: &Value) -> Self {
        let text = |key: &str| usage[key].as_str().unwrap_or_default();
        let region = !matches!(text("inference_geo"), "" | "global" | "not_available");
        let tier = match text("service_tier") {
            "batch" => Some(Rate::Batch),
            "priority" => Some(Rate::Priority),
            "flex" => Some(Rate::Flex),
            _ => None,
        };
        let rates = [(text("speed") == "fast").then_some(Rate::Fast), region.then_some(Rate::Region), tier];
        Self {
            web_searches: usage["server_tool_use"]["web_search_requests"].as_u64().unwrap_or(0),
            calls: rates.into_iter().flatten().map(|rate| (rate, 1)).collect(),
        }
    }

    /// Of another call or session.
    pub(crate) fn add(&mut self, other: &Self) {
        self.web_searches = self.web_searches.saturating_add(other.web_searches);
        other.calls.iter().for_each(|(rate, calls)| *self.calls.entry(*rate).or_default() += calls);
    }

    pub(crate) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_usual_usage_has_nothing_of_it() {
        for usage in [
            json!(null),
            json!({"service_tier": "standard", "speed": "standard", "inference_geo": "not_available"}),
            json!({"service_tier": null, "inference_geo": "global", "server_tool_use": {"web_search_requests": 0}}),
        ] {
            assert!(Unpriced::of(&usage).is_nothing(), "{usage}");
        }
    }

    #[test]
    fn what_costs_otherwise_is_counted() {
        let fast = json!({"speed": "fast", "inference_geo": "us", "server_tool_use": {"web_search_requests": 3}});
        let mut sum = Unpriced::of(&fast);
        sum.add(&Unpriced::of(&json!({"speed": "fast", "service_tier": "batch"})));
        assert_eq!(
            serde_json::to_value(&sum).unwrap(),
            json!({"web_searches": 3, "calls": {"fast": 2, "region": 1, "batch": 1}})
        );
    }
}
