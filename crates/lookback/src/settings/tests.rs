use std::{io, path::Path};

use lookback_engine::card::CacheMarks;
use lookback_models::{KeyHeader, PlainHttp};
use lookback_wire::Provider as Api;

use super::*;

fn sources(text: &str, environment: &[(&str, &str)]) -> Sources {
    Sources {
        path: Some("/home/ada/.config/lookback/config.toml".into()),
        text: Some(text.to_owned()),
        mode: Some(0o100_600),
        project: None,
        environment: environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        flags: Flags::default(),
        read: |_| Err(io::ErrorKind::NotFound.into()),
    }
}

fn settings(text: &str, environment: &[(&str, &str)]) -> Settings {
    Settings::resolve(sources(text, environment)).unwrap_or_else(|error| panic!("{error:#}"))
}

fn refusal(sources: Sources) -> String {
    match Settings::resolve(sources) {
        Ok(_) => panic!("it was taken"),
        Err(error) => format!("{error:#}"),
    }
}

fn chosen(text: &str, environment: &[(&str, &str)], model: &str) -> Chosen {
    settings(text, environment).model(model).unwrap_or_else(|error| panic!("{error}"))
}

fn variable(name: &str) -> Origin {
    Origin::Variable(name.to_owned())
}

#[test]
fn without_any_source_everything_is_built_in() {
    let settings = settings("", &[]);
    assert_eq!(settings.model, None);
    assert_eq!(settings.language, Given::built_in(Language::En));
    assert_eq!(settings.compactor, Given::built_in(Compactor::Rules));
    assert_eq!(settings.context, Given::built_in(Configuration::default()));
    assert!(settings.warnings.is_empty());
}

#[test]
fn the_stronger_source_wins_and_is_named() {
    let text = "model = \"file\"\nlanguage = \"zh\"";
    let model = |environment: &[(&str, &str)], flag: Option<&str>| {
        let flags = Flags { model: flag.map(str::to_owned), ..Flags::default() };
        let settings = Settings::resolve(Sources { flags, ..sources(text, environment) }).expect("settings");
        settings.model.map(|given| (given.value, given.origin)).expect("a model")
    };
    let set = [("LOOKBACK_MODEL", "environment")];
    assert_eq!(model(&[], None), ("file".into(), Origin::File { line: Some(1) }));
    assert_eq!(model(&[("LOOKBACK_MODEL", "")], None).0, "file", "empty is not set");
    assert_eq!(model(&set, None), ("environment".into(), variable("LOOKBACK_MODEL")));
    assert_eq!(model(&set, Some("flag")), ("flag".into(), Origin::Flag("--model")));
    assert_eq!(settings(text, &[]).language, Given { value: Language::Zh, origin: Origin::File { line: Some(2) } });
    let english = settings(text, &[("LOOKBACK_LANGUAGE", "en")]).language;
    assert_eq!(english, Given { value: Language::En, origin: variable("LOOKBACK_LANGUAGE") });
    assert_eq!(refusal(sources("", &[("LOOKBACK_LANGUAGE", "fr")])), "LOOKBACK_LANGUAGE is \"fr\": choose en or zh");
}

#[test]
fn mistakes_are_refused_with_their_line_and_the_nearest_name() {
    for (text, said) in [
        ("modle = \"x\"", "line 1: modle: `modle` is not known here: do you mean `model`?"),
        ("\nlanguage = \"fr\"", "line 2: language: \"fr\" is not possible here: choose en, zh"),
        ("model = \"\"", "line 1: model: this text may not be empty"),
        ("[provider.x]", "line 1: provider.x: `provider` is not known here: do you mean `providers`?"),
        (
            "[providers.openai]\nbase-url = \"x\"",
            "line 2: providers.openai.base-url: `base-url` is not known here: do you mean `base_url`?",
        ),
        (
            "[providers.openai]\nauth = \"basic\"",
            "line 2: providers.openai.auth: this is not possible here: choose x-api-key, bearer",
        ),
        (
            "[providers.openai]\napi = \"react\"",
            "line 2: providers.openai.api: this is not possible here: choose anthropic, chat, responses",
        ),
        (
            "[providers.openai.timeouts]\nidle = \"2 minutes\"",
            "line 2: providers.openai.timeouts.idle: this is no length of time: write 90s, 5m or 1h",
        ),
        (
            "[providers.openai]\nkey = \"k\"\nkey_command = \"pass\"",
            "line 3: providers.openai.key_command: there is a key already: keep one of the two",
        ),
        (
            "[providers.work]\nkey_env = \"K\"",
            "line 1: providers.work: this provider is not one of those that are known: give it a base_url",
        ),
        ("[context.fold]\nkeep_step = 2", "line 2: context.fold.keep_step: `keep_step` is not known here: do you mean"),
        ("[context.fold]\nkeep_steps = 0", "line 2: context.fold.keep_steps is 0: it must be at least 1"),
        ("[context]\nfold = { keep_steps = 0 }", "line 2: context.fold.keep_steps is 0: it must be at least 1"),
        ("model = ", "line 1: model: "),
    ] {
        let said = format!("/home/ada/.config/lookback/config.toml, {said}");
        let refusal = refusal(sources(text, &[]));
        assert!(refusal.starts_with(&said), "{refusal}");
    }
}

#[test]
fn every_number_of_the_engine_can_be_set() {
    let usual = Configuration::default();
    let text = toml::to_string(&BTreeMap::from([("context", &usual)])).expect("TOML");
    assert_eq!(settings(&text, &[]).context.value, usual);
    let changed = settings("[context.fold]\nkeep_steps = 2\n[context.window]\ntokens = 64_000\n", &[]).context;
    assert_eq!((changed.value.fold.keep_steps, changed.value.window.tokens), (2, Some(64_000)));
}

#[test]
fn a_readable_file_with_a_key_is_warned_of() {
    let warnings = |text: &str, mode| {
        Settings::resolve(Sources { mode: Some(mode), ..sources(text, &[]) }).expect("settings").warnings
    };
    let key = "[providers.openai]\nkey = \"secret\"";
    let warned = warnings(key, 0o100_644);
    assert_eq!(warned.len(), 1);
    assert!(warned[0].ends_with("(mode 644): chmod 600 /home/ada/.config/lookback/config.toml"), "{warned:?}");
    assert!(!warned[0].contains("secret"));
    assert_eq!(warnings("[providers.x]\nbase_url = \"u\"\nheaders = { Cookie = \"c\" }", 0o100_640).len(), 1);
    assert!(warnings(key, 0o100_600).is_empty() && warnings("model = \"x\"", 0o100_644).is_empty());
}

#[test]
fn a_bare_name_is_found_by_its_card() {
    let environment = [("ANTHROPIC_API_KEY", "k")];
    let chosen = chosen("", &environment, "claude-sonnet-5");
    assert_eq!((chosen.provider.as_str(), chosen.model.as_str()), ("anthropic", "claude-sonnet-5"));
    assert_eq!(chosen.endpoint.api, Api::Anthropic);
    assert_eq!(chosen.endpoint.base_url, "https://api.anthropic.com/v1");
    assert_eq!(chosen.endpoint.key_header, KeyHeader::ApiKey);
    assert_eq!(chosen.key, KeyFound::Found(variable("ANTHROPIC_API_KEY")));
    assert_eq!((chosen.named, chosen.card.window), (Named::ByCard, 1_000_000));
    assert!(chosen.card.request.contains_key("thinking"));
}

#[test]
fn known_providers_are_reached_where_they_are() {
    for (model, provider, api, base_url) in [
        ("gpt-5.6", "openai", Api::Responses, "https://api.openai.com/v1"),
        ("deepseek-chat", "deepseek", Api::Chat, "https://api.deepseek.com/v1"),
        ("gemini-3-pro", "gemini", Api::Chat, "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("qwen3-max", "qwen", Api::Chat, "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
        ("kimi-k2.6", "moonshot", Api::Chat, "https://api.moonshot.ai/v1"),
        ("ollama/qwen3:8b", "ollama", Api::Chat, "http://127.0.0.1:11434/v1"),
        ("llamacpp/any", "llamacpp", Api::Chat, "http://127.0.0.1:8080/v1"),
        ("vllm/org/name", "vllm", Api::Chat, "http://127.0.0.1:8000/v1"),
    ] {
        let chosen = chosen("", &[], model);
        assert_eq!(chosen.provider, provider);
        assert_eq!(chosen.endpoint.api, api, "{model}");
        assert_eq!(chosen.endpoint.base_url, base_url);
        let local = matches!(provider, "ollama" | "llamacpp" | "vllm");
        assert_eq!(chosen.key == KeyFound::NotNeeded, local, "{model}");
    }
    assert_eq!(chosen("", &[], "vllm/org/name").model, "org/name");
}

#[test]
fn a_server_of_ones_own_has_its_own_card_whatever_its_models_are_called() {
    let local = chosen("", &[], "ollama/qwen3-max").card;
    assert_eq!((local.provider.as_str(), local.prices), ("local", None));
    let work = "[providers.work]\nbase_url = \"http://gpu:8000/v1\"\ncard = \"vllm\"";
    assert_eq!(chosen(work, &[], "work/qwen3-max").card.provider, "local");
    assert_eq!(chosen("[providers.work]\nbase_url = \"http://gpu/v1\"", &[], "work/qwen3-max").card.provider, "qwen");
}

#[test]
fn a_router_passes_the_makers_marks_on_but_speaks_its_own_api() {
    let claude = chosen("", &[("OPENROUTER_API_KEY", "k")], "openrouter/anthropic/claude-sonnet-4.6");
    assert_eq!((claude.model.as_str(), claude.endpoint.api), ("anthropic/claude-sonnet-4.6", Api::Chat));
    assert_eq!((claude.card.api, claude.card.cache_marks), (Api::Chat, CacheMarks::CacheControl));
    assert!(claude.card.request.is_empty(), "thinking is asked for in another way there");
    assert_eq!(claude.endpoint.headers, [("X-Title".to_owned(), "Lookback".to_owned())]);
    let other = chosen("", &[], "openrouter/somebody/something");
    assert_eq!((other.card.provider.as_str(), other.named), ("openrouter", Named::ByCard));
    let new = chosen("", &[], "openai/brand-new");
    assert_eq!((new.card.provider.as_str(), new.named, new.endpoint.api), ("unknown", Named::ByNone, Api::Responses));
}

#[test]
fn a_base_url_is_taken_from_the_strongest_source() {
    let file = "model = \"claude-sonnet-5\"\n[providers.anthropic]\nbase_url = \"http://file\"";
    let base_url = |text: &str, environment: &[(&str, &str)], flag: Option<&str>| {
        let flags = Flags { base_url: flag.map(str::to_owned), ..Flags::default() };
        let settings = Settings::resolve(Sources { flags, ..sources(text, environment) }).expect("settings");
        let chosen = settings.model("claude-sonnet-5").expect("a model");
        (chosen.endpoint.base_url, chosen.origins.base_url)
    };
    let (own, ours) = (("ANTHROPIC_BASE_URL", "http://own"), ("LOOKBACK_BASE_URL", "http://ours"));
    assert_eq!(base_url(file, &[], None), ("http://file".into(), Origin::File { line: Some(3) }));
    assert_eq!(base_url(file, &[own], None), ("http://own".into(), variable("ANTHROPIC_BASE_URL")));
    assert_eq!(base_url(file, &[own, ours], None), ("http://ours".into(), variable("LOOKBACK_BASE_URL")));
    assert_eq!(base_url(file, &[own, ours], Some("http://flag")).1, Origin::Flag("--base-url"));
}

#[test]
fn a_base_url_does_not_draw_the_key_of_another_provider() {
    let environment = [("LOOKBACK_BASE_URL", "http://elsewhere"), ("OPENAI_API_KEY", "k")];
    let settings = settings("model = \"claude-sonnet-5\"\ncompactor = \"gpt-5.4-mini\"", &environment);
    assert_eq!(settings.model("claude-sonnet-5").expect("the model").endpoint.base_url, "http://elsewhere");
    assert_eq!(settings.model("claude-haiku-4-5").expect("its sibling").endpoint.base_url, "http://elsewhere");
    assert_eq!(settings.model("gpt-5.4-mini").expect("the compactor").endpoint.base_url, "https://api.openai.com/v1");
}

#[test]
fn a_base_url_alone_is_enough_for_a_server_that_nobody_knows() {
    let environment = [("LOOKBACK_BASE_URL", "http://127.0.0.1:9000/v1"), ("OPENAI_API_KEY", "k")];
    for (model, card) in [("somebody/something", "unknown"), ("local", "local")] {
        let chosen = chosen("", &environment, model);
        assert_eq!((chosen.provider.as_str(), chosen.model.as_str()), ("custom", model));
        assert_eq!((chosen.endpoint.api, chosen.card.provider.as_str()), (Api::Chat, card));
        assert!(chosen.endpoint.key.is_none(), "no key that was meant for others");
    }
    let refused = |model: &str| settings("", &[]).model(model).expect_err("nobody knows it").to_string();
    let said = refused("somebody/something");
    assert!(said.contains("as in openrouter/somebody/something") && said.contains("anthropic, deepseek"), "{said}");
    assert!(refused("local").contains("as in ollama/local"));
}

#[test]
fn keys_come_from_the_environment_then_from_the_file() {
    let key = |text: &str, environment: &[(&str, &str)]| {
        let chosen = chosen(text, environment, "claude-sonnet-5");
        let shown = chosen.endpoint.key.as_ref().map(|key| format!("{key:?}"));
        (chosen.key, chosen.endpoint.key_header, shown)
    };
    let api_key = ("ANTHROPIC_API_KEY", "a");
    let token = ("ANTHROPIC_AUTH_TOKEN", "t");
    let (found, header, _) = key("", &[api_key, token]);
    assert_eq!((found, header), (KeyFound::Found(variable("ANTHROPIC_AUTH_TOKEN")), KeyHeader::Bearer));
    let written = "[providers.anthropic]\nkey = \"secret\"";
    assert_eq!(key(written, &[api_key]).0, KeyFound::Found(variable("ANTHROPIC_API_KEY")));
    let (found, header, shown) = key(written, &[]);
    assert_eq!((found, header), (KeyFound::Found(Origin::File { line: None }), KeyHeader::ApiKey));
    assert!(shown.is_some_and(|shown| !shown.contains("secret")));
    let command = "[providers.anthropic]\nkey_command = \"pass show anthropic\"\nauth = \"bearer\"";
    let (found, header, _) = key(command, &[]);
    assert_eq!((found, header), (KeyFound::ByCommand(Origin::File { line: None }), KeyHeader::Bearer));
    let named = "[providers.anthropic]\nkey_env = \"WORK_KEY\"";
    assert_eq!(key(named, &[api_key]).0, KeyFound::Missing { variables: vec!["WORK_KEY".into()] });
    assert_eq!(key(named, &[api_key, ("WORK_KEY", "w")]).0, KeyFound::Found(variable("WORK_KEY")));
    let variables = vec!["ANTHROPIC_AUTH_TOKEN".to_owned(), "ANTHROPIC_API_KEY".to_owned()];
    assert_eq!(key("", &[("ANTHROPIC_API_KEY", "")]).0, KeyFound::Missing { variables });
}

#[test]
fn a_provider_of_ones_own_has_everything_that_an_endpoint_has() {
    let text = r#"
        [providers.work]
        api = "anthropic"
        base_url = "http://gateway.internal/llm"
        key_env = "WORK_KEY"
        auth = "bearer"
        proxy = "http://proxy:3128"
        ca_file = "/etc/work.pem"
        headers = { X-Team = "ledger" }
        allow_plain_http = true
        timeouts = { connect = "5s", idle = "10m" }
    "#;
    let Chosen { endpoint, card, .. } = chosen(text, &[("WORK_KEY", "w")], "work/claude-sonnet-5");
    assert_eq!((endpoint.api, card.api), (Api::Anthropic, Api::Anthropic));
    assert_eq!((endpoint.key_header, endpoint.plain_http), (KeyHeader::Bearer, PlainHttp::WithSecrets));
    assert_eq!(endpoint.headers, [("X-Team".to_owned(), "ledger".to_owned())]);
    assert_eq!(endpoint.proxy.as_deref(), Some("http://proxy:3128"));
    assert_eq!(endpoint.ca_file.as_deref(), Some(Path::new("/etc/work.pem")));
    let seconds = [endpoint.timeouts.connect, endpoint.timeouts.first_byte, endpoint.timeouts.idle];
    assert_eq!(seconds.map(|span| span.as_secs()), [5, 120, 600]);
    let environment = [("LOOKBACK_PROXY", "http://other:1"), ("LOOKBACK_CA_FILE", "/other.pem")];
    let endpoint = chosen(text, &environment, "work/claude-sonnet-5").endpoint;
    assert_eq!(endpoint.proxy.as_deref(), Some("http://other:1"));
    assert_eq!(endpoint.ca_file.as_deref(), Some(Path::new("/other.pem")));
}

#[test]
fn cards_of_ones_own_win_and_are_looked_for_beside_the_file() {
    fn read(path: &Path) -> io::Result<String> {
        assert_eq!(path, Path::new("/home/ada/.config/lookback/mine.toml"));
        let unknown = include_str!("../../../../prices/unknown.toml");
        Ok(unknown.replace("\"*\"", "\"claude-sonnet-5-20*\"").replace("200_000", "64_000"))
    }
    let sources = Sources { read, ..sources("cards = [\"mine.toml\"]", &[]) };
    let settings = Settings::resolve(sources).expect("settings");
    assert_eq!(settings.card("claude-sonnet-5-20260101").map(|card| card.window), Some(64_000));
    assert_eq!(settings.card("claude-opus-5").map(|card| card.window), Some(1_000_000));
    let missing = refusal(self::sources("cards = [\"mine.toml\"]", &[]));
    assert!(missing.starts_with("cannot read /home/ada/.config/lookback/mine.toml"), "{missing}");
}

const PAGE: &str = include_str!("../../../../docs/configuration.md");

fn examples() -> Vec<&'static str> {
    PAGE.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_documentation_names_every_number_of_the_engine_with_its_default() {
    let example = examples().into_iter().find(|example| example.contains("[context.fold]")).expect("an example");
    assert_eq!(settings(example, &[]).context.value, Configuration::default());
    let written: toml::Table = toml::from_str(example).expect("TOML");
    let usual = toml::Table::try_from(BTreeMap::from([("context", Configuration::default())])).expect("TOML");
    assert_eq!(written, usual, "docs/configuration.md names every default, and nothing else");
}

#[test]
fn the_documentation_names_every_provider_and_its_keys() {
    for (name, provider) in &settings("", &[]).providers {
        let row = PAGE.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).expect(name);
        let variables = provider.key.variables.iter().map(|key| &key.variable).chain(&provider.base_url_variable);
        for shown in variables.chain([&provider.base_url.value]) {
            assert!(row.contains(&format!("`{shown}`")), "{shown}: {row}");
        }
    }
}

#[test]
fn every_example_of_the_documentation_is_taken() {
    assert_eq!(examples().len(), 4);
    for example in examples() {
        if example.contains("[[card]]") {
            Cards::parse(example).unwrap_or_else(|error| panic!("{error}\n{example}"));
        } else {
            let read = |_: &Path| Ok(include_str!("../../../../prices/unknown.toml").replace("\"*\"", "\"mine\""));
            let sources = Sources { read, ..sources(example, &[]) };
            let settings = Settings::resolve(sources).unwrap_or_else(|error| panic!("{error:#}\n{example}"));
            if let Some(model) = &settings.model {
                settings.model(&model.value).unwrap_or_else(|error| panic!("{error}\n{example}"));
            }
        }
    }
}

#[test]
fn a_key_in_the_wrong_place_is_not_repeated() {
    for text in [
        "[providers.anthropic]\nheaders = \"x-api-key: sk-SECRET\"",
        "[providers.anthropic]\nkey_env = \"sk-SECRET\"",
        "[providers.anthropic]\nauth = \"sk-SECRET\"",
        "[providers.anthropic]\ntimeouts = { connect = \"sk-SECRET\" }",
        "[providers]\nanthropic = \"sk-SECRET\"",
        "[providers.anthropic]\nkey = 1234567890123",
    ] {
        let problem = UserFile::parse(text).map(|_| ()).expect_err("it does not belong there").to_string();
        assert!(!problem.contains("SECRET") && !problem.contains("1234567890123"), "{problem}");
    }
}
