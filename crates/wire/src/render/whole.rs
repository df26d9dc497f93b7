//! Reads JSON to its end as whoever wants all of it does, and keeps nothing: arguments of a call may be a whole file.
//!
//! A mere scan passes what no reader takes: half of a surrogate pair, a number that is too large, absurd nesting.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

/// An object.
pub(super) struct Object;

/// Anything inside of one.
struct Any;

struct Reader;

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectReader)
    }
}

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct ObjectReader;

impl<'de> Visitor<'de> for ObjectReader {
    type Value = Object;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object, A::Error> {
        Reader.visit_map(map).map(|Any| Object)
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Any;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Any, E> {
        Ok(Any)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Any, E> {
        Ok(Any)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Any, E> {
        Ok(Any)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Any, E> {
        Ok(Any)
    }

    fn visit_str<E>(self, _: &str) -> Result<Any, E> {
        Ok(Any)
    }

    fn visit_unit<E>(self) -> Result<Any, E> {
        Ok(Any)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Any, A::Error> {
        while list.next_element::<Any>()?.is_some() {}
        Ok(Any)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
        while map.next_entry::<Any, Any>()?.is_some() {}
        Ok(Any)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;

    #[test]
    fn it_takes_what_a_reader_of_everything_takes() {
        let deep = |depth: usize| format!("{}{}", r#"{"a":"#.repeat(depth), "{}") + &"}".repeat(depth);
        let nested: Vec<String> = (120..135).map(deep).collect();
        let others = [
            "",
            "{}",
            " {} ",
            "{},",
            "[1]",
            "1",
            "null",
            r#""a""#,
            r#"{"a":1}"#,
            r#"{"a":1,"a":[true,null,-2.5e3]}"#,
            r#"{"a":1e999}"#,
            r#"{"a":18446744073709551616}"#,
            r#"{"a":-9223372036854775809}"#,
            r#"{"a":01}"#,
            r#"{"a":+1}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"\ud800":1}"#,
            r#"{"a":"\ud83d\ude00"}"#,
            r#"{"a":"\x"}"#,
            "{\"a\":\"\n\"}",
            r#"{"a"}"#,
            r#"{1:2}"#,
            r#"{"a":1,}"#,
            r#"{"a":[1,]}"#,
            r#"{"a":{"b":"\udc00"}}"#,
            r#"{"a":nul}"#,
        ];
        for text in others.into_iter().chain(nested.iter().map(String::as_str)) {
            let all = serde_json::from_str::<Map<String, Value>>(text).is_ok();
            assert_eq!(serde_json::from_str::<Object>(text).is_ok(), all, "{text}");
        }
    }
}
