//! The same rules without a network: what a script model's requests are refused for, and what they are billed.

use std::sync::Arc;

use lookback_engine::card::Card;
use lookback_models::{ErrorKind, ModelError, Request, script::Billing};
use lookback_wire::{Reply, ReplyContent, TokenUsage};

use crate::{Examiner, RefusalKind, Refused, count_o200k, server::Clock};

/// One card's provider, for one script model.
pub struct CardBilling {
    examiner: Examiner,
    clock: Arc<Clock>,
}

impl CardBilling {
    /// Counts by o200k; the clock says when cache entries expire.
    pub fn new(card: Card, clock: Arc<Clock>) -> Self {
        Self { examiner: Examiner::new(card, Box::new(count_o200k)), clock }
    }
}

impl Billing for CardBilling {
    fn bill(&mut self, request: &Request, reply: &mut Reply) -> Result<TokenUsage, ModelError> {
        let now = (self.clock)();
        let billed = self.examiner.examine(request.api, &request.body, now).map_err(refusal)?;
        for part in &mut reply.parts {
            if let ReplyContent::Thinking { text, seal } = &mut part.content {
                *seal = self.examiner.seal(request.api, &billed.prompt, text);
            }
        }
        let output = self.examiner.answered(request.api, &billed.prompt, reply, now);
        Ok(billed.usage(output))
    }
}

fn refusal(refused: Refused) -> ModelError {
    let kind = match refused.kind {
        RefusalKind::InvalidRequest => ErrorKind::BadRequest,
        RefusalKind::PromptTooLong => ErrorKind::PromptTooLong { sent: None, limit: None },
        RefusalKind::ContextSize { prompt, window } => {
            ErrorKind::PromptTooLong { sent: Some(prompt), limit: Some(window) }
        }
        RefusalKind::InvalidThinking | RefusalKind::MissingThinking => ErrorKind::RefusedThinking,
    };
    ModelError::new(kind, Some(refused.status), refused.message)
}

impl std::fmt::Debug for CardBilling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardBilling").field("examiner", &self.examiner).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use lookback_engine::card::Cards;
    use lookback_models::script::{Player, Script, ScriptModel};
    use lookback_wire::{Provider, Seal};

    use super::*;

    fn model(name: &str, script: &str) -> ScriptModel {
        let cards = Cards::parse(include_str!("../../../prices/anthropic.toml")).expect("cards");
        let billing = CardBilling::new(cards.find(name).expect("a card").clone(), Arc::new(|| 0));
        let player = Player::new("fix.toml", Script::parse(script).expect("a script"));
        ScriptModel::new(player, Some(Box::new(billing)))
    }

    async fn ask(model: &ScriptModel, body: serde_json::Value) -> Result<Reply, ModelError> {
        let request = Request { api: Provider::Anthropic, body: body.to_string().into_bytes() };
        let mut answering = model.send(request);
        while answering.next().await?.is_some() {}
        Ok(answering.into_reply())
    }

    #[tokio::test]
    async fn usage_that_the_file_does_not_give_is_counted_by_the_card() {
        let model = model("claude-sonnet-4-6", "[[step]]\nthinking = \"Hm.\"\ntext = \"Done.\"\n");
        let long = "word ".repeat(1_500);
        let mark = serde_json::json!({"type": "ephemeral"});
        let content = serde_json::json!([{"type": "text", "text": long, "cache_control": mark}]);
        let messages = serde_json::json!([{"role": "user", "content": content}]);
        let body = serde_json::json!({"model": "claude-sonnet-4-6", "max_tokens": 100, "messages": messages});
        let first = ask(&model, body.clone()).await.expect("an answer");
        let usage = first.usage.expect("a bill");
        assert_eq!((usage.cached, usage.uncached), (0, 0));
        assert!(usage.written > 1_400 && usage.output > 0, "{usage:?}");
        assert!(matches!(&first.parts[0].content, ReplyContent::Thinking { seal: Seal::Signature(_), .. }));
        let again = ask(&model, body).await.expect("an answer").usage.expect("a bill");
        assert_eq!((again.cached, again.written), (usage.written, 0));
    }

    #[tokio::test]
    async fn what_the_card_refuses_is_an_error_of_its_kind() {
        let model = model("claude-sonnet-4-6", "[[step]]\ntext = \"Done.\"\n");
        let body = serde_json::json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
        let error = ask(&model, body).await.expect_err("no max_tokens");
        assert_eq!((error.kind, error.status), (ErrorKind::BadRequest, Some(400)));
        assert_eq!(error.message, "max_tokens: Field required");
    }
}
