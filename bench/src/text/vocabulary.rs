//! The words, paths and Chinese words that synthetic text is made of: the same in every run.

use crate::random::Random;

/// The most frequent words first; all others are made of syllables.
pub(crate) const COMMON: [&str; 40] = [
    "error",
    "test",
    "value",
    "result",
    "file",
    "line",
    "config",
    "request",
    "response",
    "user",
    "name",
    "path",
    "data",
    "index",
    "count",
    "state",
    "event",
    "session",
    "store",
    "cache",
    "token",
    "buffer",
    "stream",
    "parse",
    "render",
    "write",
    "read",
    "open",
    "close",
    "connection",
    "timeout",
    "retry",
    "thread",
    "query",
    "table",
    "column",
    "schema",
    "ledger",
    "account",
    "balance",
];

const SYLLABLES: [&str; 48] = [
    "al", "ber", "con", "dor", "en", "fi", "gra", "ho", "in", "jo", "ka", "lem", "mor", "net", "or", "pli", "qua",
    "res", "sol", "tra", "ul", "ver", "wen", "xi", "yar", "zon", "ack", "bri", "chan", "dex", "eft", "flo", "gil",
    "har", "ist", "kol", "lin", "mid", "nur", "ost", "pre", "rim", "sta", "tec", "umb", "vis", "wor", "ent",
];

/// Characters that are common in technical Chinese; any two of them make a word here.
const CHINESE: &str = "数据库缓存连接请求响应错误测试文件路径配置索引事件会话写入读取打开关闭超时重试线程查询表列账户余额模型窗口压缩回放证据指针状态目标步骤结果输出命令编译运行失败成功检查修改删除新增版本分支合并提交日志";

const FREQUENT_CHINESE: [&str; 10] = ["数据", "缓存", "连接", "错误", "测试", "文件", "配置", "索引", "会话", "超时"];

const WORDS: usize = 40_000;
const PATHS: usize = 4_000;
const CHINESE_WORDS: usize = 2_000;

#[derive(Debug)]
pub(crate) struct Vocabulary {
    pub(crate) words: Vec<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) chinese: Vec<String>,
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let mut random = Random::new(20_261_101);
        let mut words: Vec<String> = COMMON.iter().map(|word| (*word).to_owned()).collect();
        words.resize_with(WORDS, || {
            let syllables = random.between(2, 5);
            (0..syllables).map(|_| *random.pick(&SYLLABLES)).collect()
        });
        let mut path = || {
            let mut word = || words[random.rank(WORDS)].clone();
            format!("crates/{}/src/{}/{}.rs", word(), word(), word())
        };
        let paths = (0..PATHS).map(|_| path()).collect();
        let characters: Vec<char> = CHINESE.chars().collect();
        let mut chinese: Vec<String> = FREQUENT_CHINESE.iter().map(|word| (*word).to_owned()).collect();
        chinese
            .resize_with(CHINESE_WORDS, || [random.pick(&characters), random.pick(&characters)].into_iter().collect());
        Self { words, paths, chinese }
    }
}
