use reqwest::Url;

use super::*;

const KEY: &str = "sk-test-0123456789-abcdefghij";

/// A refusal in its server's own words, as far as this table knows them, and what it must be taken for.
fn kind(status: u16, body: &str) -> ErrorKind {
    fault((status != 200).then_some(status), body).error.kind
}

fn fault(status: Option<u16>, body: &str) -> Fault {
    let url = Url::parse("https://models.example/v1/messages").unwrap();
    let key = Key::from_file(KEY, "config.toml");
    let mut mask = Mask::default();
    mask.add(KEY);
    let place = Place { host: "models.example", url: &url, key: Some(&key), mask };
    Fault::of_answer(status, &parse_said(body.as_bytes()), Asked::Nothing, &place)
}

fn too_long(sent: u64, limit: u64) -> ErrorKind {
    ErrorKind::PromptTooLong { sent: Some(sent), limit: Some(limit) }
}

const RATE_LIMITED: ErrorKind = ErrorKind::RateLimited { retry_after: None };

#[test]
fn anthropic() {
    let says = |kind: &str, message: &str| {
        serde_json::json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
            .to_string()
    };
    for (status, error, message, expected) in [
        (401, "authentication_error", "invalid x-api-key", ErrorKind::BadKey),
        (403, "permission_error", "Your API key may not use this resource.", ErrorKind::BadKey),
        (404, "not_found_error", "model: claude-nothing-9", ErrorKind::NoSuchModel),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 210001 tokens > 200000 maximum",
            too_long(210_001, 200_000),
        ),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length",
            too_long(190_000, 200_000),
        ),
        (
            413,
            "request_too_large",
            "Request exceeds the maximum size",
            ErrorKind::PromptTooLong { sent: None, limit: None },
        ),
        (429, "rate_limit_error", "This request would exceed your rate limit", RATE_LIMITED),
        (529, "overloaded_error", "Overloaded", ErrorKind::Overloaded),
        (200, "overloaded_error", "Overloaded", ErrorKind::Overloaded),
        (200, "api_error", "Internal server error", ErrorKind::ServerError),
        (500, "api_error", "Internal server error", ErrorKind::ServerError),
        (
            400,
            "invalid_request_error",
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            ErrorKind::RefusedThinking,
        ),
        (
            400,
            "invalid_request_error",
            "messages.3.content.8: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
            ErrorKind::RefusedThinking,
        ),
        (
            400,
            "invalid_request_error",
            "messages.9.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is \
             enabled, a final `assistant` message must start with a thinking block",
            ErrorKind::RefusedThinking,
        ),
        (
            400,
            "invalid_request_error",
            "messages.1.content.0.thinking.signature: Field required",
            ErrorKind::RefusedThinking,
        ),
        (
            400,
            "invalid_request_error",
            "`max_tokens` must be greater than `thinking.budget_tokens`.",
            ErrorKind::BadRequest,
        ),
        (
            400,
            "invalid_request_error",
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
            ErrorKind::BadRequest,
        ),
        (
            400,
            "invalid_request_error",
            "`temperature` may only be set to 1 when thinking is enabled.",
            ErrorKind::BadRequest,
        ),
        (
            400,
            "invalid_request_error",
            "max_tokens: 100000 > 64000, which is the maximum allowed",
            ErrorKind::BadRequest,
        ),
        (400, "invalid_request_error", "messages: roles must alternate", ErrorKind::BadRequest),
        (400, "invalid_request_error", "Output blocked by content filtering policy", ErrorKind::RefusedContent),
        (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", RATE_LIMITED),
    ] {
        assert_eq!(kind(status, &says(error, message)), expected, "{message}");
    }
}

#[test]
fn openai() {
    let says = |kind: &str, code: &str, message: &str| {
        serde_json::json!({"error": {"message": message, "type": kind, "param": null, "code": code}}).to_string()
    };
    for (status, error, code, message, expected) in [
        (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-****.", ErrorKind::BadKey),
        (404, "invalid_request_error", "model_not_found", "The model `gpt-0` does not exist", ErrorKind::NoSuchModel),
        (403, "invalid_request_error", "model_not_found", "Project has no access to `gpt-5`", ErrorKind::NoSuchModel),
        (
            400,
            "invalid_request_error",
            "context_length_exceeded",
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 8,213 tokens.",
            too_long(8_213, 8_192),
        ),
        (
            400,
            "invalid_request_error",
            "context_length_exceeded",
            "Your input exceeds the context window of this model.",
            ErrorKind::PromptTooLong { sent: None, limit: None },
        ),
        (
            429,
            "tokens",
            "rate_limit_exceeded",
            "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000.",
            too_long(41_000, 30_000),
        ),
        (429, "requests", "rate_limit_exceeded", "Rate limit reached for gpt-5 on requests per min", RATE_LIMITED),
        (429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota", RATE_LIMITED),
        (500, "server_error", "", "The server had an error", ErrorKind::ServerError),
        (503, "server_error", "", "The engine is currently overloaded", ErrorKind::Overloaded),
        (
            400,
            "invalid_request_error",
            "content_policy_violation",
            "Your request was rejected",
            ErrorKind::RefusedContent,
        ),
        (400, "", "content_filter", "The response was filtered", ErrorKind::RefusedContent),
        (
            400,
            "invalid_request_error",
            "invalid_prompt",
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
            ErrorKind::RefusedContent,
        ),
        (
            400,
            "invalid_request_error",
            "invalid_encrypted_content",
            "The encrypted content gAAA...DQ== could not be verified.",
            ErrorKind::RefusedThinking,
        ),
        (
            400,
            "invalid_request_error",
            "",
            "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
            ErrorKind::RefusedThinking,
        ),
        (
            400,
            "invalid_request_error",
            "",
            "Encrypted content is not supported with this model.",
            ErrorKind::BadRequest,
        ),
        (400, "invalid_request_error", "unsupported_value", "Unsupported value: 'temperature'", ErrorKind::BadRequest),
        (408, "timeout", "", "Request timed out", ErrorKind::TimedOut),
    ] {
        assert_eq!(kind(status, &says(error, code, message)), expected, "{message}");
    }
}

#[test]
fn compatible_servers() {
    for (status, body, expected) in [
        // llama.cpp
        (
            400,
            r#"{"error":{"code":400,"message":"request (5432 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5432,"n_ctx":4096}}"#,
            too_long(5_432, 4_096),
        ),
        (
            400,
            r#"{"error":{"message":"the request exceeds the available context size.","n_prompt_tokens":9,"n_ctx":8}}"#,
            too_long(9, 8),
        ),
        (503, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#, ErrorKind::Overloaded),
        (404, r#"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#, ErrorKind::NoSuchModel),
        // vLLM
        (
            400,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.","type":"BadRequestError","param":null,"code":400}"#,
            too_long(5_000, 4_096),
        ),
        (
            404,
            r#"{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}"#,
            ErrorKind::NoSuchModel,
        ),
        (
            422,
            r#"{"detail":[{"loc":["body","messages"],"msg":"field required","type":"value_error"}]}"#,
            ErrorKind::BadRequest,
        ),
        (404, r#"{"detail":"Not Found"}"#, ErrorKind::NoSuchModel),
        // Ollama
        (404, r#"{"error":"model \"llama9\" not found, try pulling it first"}"#, ErrorKind::NoSuchModel),
        (400, r#"{"error":"\"gemma\" does not support tools"}"#, ErrorKind::BadRequest),
        // DeepSeek
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion).","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
            too_long(131_134, 131_072),
        ),
        (
            400,
            r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API.","type":"invalid_request_error","code":"invalid_request_error"}}"#,
            ErrorKind::RefusedThinking,
        ),
        (
            400,
            r#"{"error":{"message":"The `content[].thinking` in the thinking mode must be passed back to the API."}}"#,
            ErrorKind::RefusedThinking,
        ),
        (400, r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}"#, ErrorKind::NoSuchModel),
        (402, r#"{"error":{"message":"Insufficient Balance","type":"unknown_error"}}"#, RATE_LIMITED),
        (
            400,
            r#"{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}"#,
            ErrorKind::RefusedContent,
        ),
        // Kimi
        (
            400,
            r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072 (requested: 133000)","type":"invalid_request_error"}}"#,
            too_long(133_000, 131_072),
        ),
        (
            429,
            r#"{"error":{"message":"The engine is currently overloaded","type":"engine_overloaded_error"}}"#,
            ErrorKind::Overloaded,
        ),
        // Qwen
        (
            400,
            r#"{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}"#,
            ErrorKind::RefusedContent,
        ),
        (
            400,
            r#"{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"}}"#,
            ErrorKind::PromptTooLong { sent: None, limit: Some(30_720) },
        ),
        // OpenRouter, also within a stream of status 200
        (
            200,
            r#"{"id":"gen-1","error":{"code":502,"message":"Provider returned error"},"choices":[]}"#,
            ErrorKind::ServerError,
        ),
        (
            200,
            r#"{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"slow down","provider_name":"X"}}}"#,
            RATE_LIMITED,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0: Invalid `signature` in `thinking` block\"}}"}}}"#,
            ErrorKind::RefusedThinking,
        ),
        (400, r#"{"error":{"code":400,"message":"x/y is not a valid model ID"}}"#, ErrorKind::NoSuchModel),
        (
            403,
            r#"{"error":{"code":403,"message":"Your input was flagged","metadata":{"reasons":["violence"]}}}"#,
            ErrorKind::RefusedContent,
        ),
        // Responses within a stream
        (
            200,
            r#"{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}}}"#,
            RATE_LIMITED,
        ),
        (200, r#"{"type":"error","code":"server_error","message":"oops","param":null}"#, ErrorKind::ServerError),
        (
            200,
            r#"{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"long"}}"#,
            ErrorKind::PromptTooLong { sent: None, limit: None },
        ),
        // Gemini, and a gateway that keeps the whole error as text
        (
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
            ErrorKind::BadKey,
        ),
        (
            400,
            r#"{"error":{"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
            too_long(1_200_000, 1_048_576),
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}","status":"INVALID_ARGUMENT"}}"#,
            too_long(9, 8),
        ),
        // Whatever stands in between
        (502, "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>", ErrorKind::ServerError),
        (403, "<!DOCTYPE html><title>Access denied</title>", ErrorKind::BadKey),
        (500, "", ErrorKind::ServerError),
        (418, "I am a teapot", ErrorKind::BadRequest),
    ] {
        assert_eq!(kind(status, body), expected, "{body}");
    }
}

#[test]
fn only_what_may_pass_is_tried_again() {
    for (status, body, again) in [
        (429, "{}", Again::Later),
        (429, r#"{"error":{"code":"insufficient_quota","message":"x"}}"#, Again::Never),
        (408, "{}", Again::Later),
        (500, "{}", Again::Later),
        (529, "{}", Again::Later),
        (504, "{}", Again::Later),
        // A gateway's 502 for a request that will never fit.
        (502, r#"{"error":{"message":"This model's maximum context length is 16000 tokens."}}"#, Again::Never),
        (401, "{}", Again::Never),
        (404, "{}", Again::Never),
        (400, "{}", Again::Never),
    ] {
        assert_eq!(fault(Some(status), body).again, again, "{status} {body}");
    }
}

#[test]
fn the_text_says_what_and_what_to_do_and_never_the_key() {
    let body = format!(r#"{{"error":{{"type":"authentication_error","message":"invalid x-api-key {KEY}"}}}}"#);
    insta::assert_snapshot!(fault(Some(401), &body).error, @r"
    the provider says the key is not valid (401): invalid x-api-key [hidden]
    the key in config.toml has 29 characters, ends in …hij
    check it with `lookback doctor`, or choose another model with --model
    ");
    insta::assert_snapshot!(fault(Some(400), r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#).error, @r"
    the prompt is too long for the model (400): prompt is too long: 9 tokens > 8 maximum
    choose a model with a larger window with --model
    ");
    insta::assert_snapshot!(fault(Some(404), "<html><title>404 Not Found</title></html>").error, @r"
    models.example knows no such path or model (404): 404 Not Found
    check base_url (requests go to https://models.example/v1/messages) and the model's name with `lookback doctor`
    ");
    insta::assert_snapshot!(fault(Some(529), r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#).error, @r"
    the provider is overloaded (529): Overloaded
    wait a little and try again, or choose another model with --model
    ");
}

#[test]
fn a_long_refusal_is_cut_after_the_key_was_hidden() {
    // The cut falls into the key: half of it would be left if it were cut first.
    let body = format!("{}{KEY} {}", "x".repeat(285), "y".repeat(100));
    let text = fault(Some(500), &body).error.message;
    assert!(!text.contains(&KEY[..8]), "{text}");
    assert!(text.contains('…'), "{text}");
}

#[test]
fn too_long_a_wait_says_when() {
    let mut fault = fault(Some(429), r#"{"error":{"message":"daily limit"}}"#);
    let now: jiff::Zoned = "2026-11-15T21:00:00+00:00[UTC]".parse().unwrap();
    fault.give_up_waiting(Duration::from_secs(3_590), &now);
    assert_eq!(fault.error.kind, ErrorKind::RateLimited { retry_after: Some(Duration::from_secs(3_590)) });
    assert!(fault.error.message.ends_with("\nit can be asked again at 21:59, in 60 minutes"), "{}", fault.error);
}
