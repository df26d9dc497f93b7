//! The list of models, in a form that clients of every API can read.

use serde_json::json;

pub(super) fn render_models(models: &[&str]) -> Vec<u8> {
    let listed = models.iter().map(|model| {
        json!({
            "id": model,
            "object": "model",
            "type": "model",
            "display_name": model,
            "created": 0,
            "created_at": "1970-01-01T00:00:00Z",
            "owned_by": "lookback",
        })
    });
    let listed: Vec<_> = listed.collect();
    let (first, last) = (models.first(), models.last());
    json!({ "object": "list", "data": listed, "has_more": false, "first_id": first, "last_id": last })
        .to_string()
        .into_bytes()
}
