//! Thirty steps of work on a small invoicing tool: totals are off by a cent, the cause is found, repaired and tested.

use super::*;

const TOTALS: &str = r#"from decimal import Decimal

from .rates import rate_for


class Totals:
    """Sums the lines of an invoice, with tax."""

    def __init__(self, invoice):
        self.invoice = invoice

    def net(self):
        return sum(line.price * line.quantity for line in self.invoice.lines)

    def tax(self):
        total = 0.0
        for line in self.invoice.lines:
            total += float(line.price * line.quantity) * rate_for(line.category)
        return round(total, 2)

    def gross(self):
        return self.net() + Decimal(str(self.tax()))
"#;

const RATES: &str = r#"RATES = {"books": 0.07, "food": 0.07}
STANDARD = 0.19


def rate_for(category):
    return RATES.get(category, STANDARD)
"#;

const TEST: &str = r#"from decimal import Decimal

import pytest

from invoicing.model import Invoice, Line
from invoicing.totals import Totals


@pytest.fixture
def mixed():
    return Invoice([Line("books", Decimal("9.99"), 3), Line("tools", Decimal("0.35"), 7)])


def test_net(mixed):
    assert Totals(mixed).net() == Decimal("32.42")


def test_tax(mixed):
    assert Totals(mixed).tax() == Decimal("2.57")


def test_gross(mixed):
    assert Totals(mixed).gross() == Decimal("34.99")
"#;

fn failing_run() -> String {
    let dots: String = (0..60).map(|part| format!("tests/test_part{part}.py ............ [{part}%]\n")).collect();
    format!(
        "{dots}=================================== FAILURES ===================================\n\
         tests/test_totals.py:19: in test_tax\n    assert Totals(mixed).tax() == Decimal(\"2.57\")\n\
         E   AssertionError: assert 2.56 == Decimal('2.57')\n\
         FAILED tests/test_totals.py::test_tax - AssertionError: assert 2.56 == Decimal('2.57')\n\
         FAILED tests/test_totals.py::test_gross - AssertionError: assert Decimal('34.98') == Decimal('34.99')\n\
         ========================= 2 failed, 718 passed in 3.41s =========================\n"
    )
}

pub(super) fn thirty_steps() -> Story {
    let mut story = Story::new();
    story.user("Invoice totals are sometimes off by a cent. Find out why and fix it.\nDo not change the public API, and keep the tests as they are.");
    look_around(&mut story);
    repair(&mut story);
    story.user("good, then also round per line, as the tax office wants it, and mention it in the changelog");
    extend(&mut story);
    story
}

/// Steps 1 to 11.
fn look_around(story: &mut Story) {
    let listing: String = (0..40).map(|part| format!("invoicing/part{part}.py\n")).collect();
    story.run("I'll start by looking at the project.", "ls -R invoicing", 0, &listing);
    story.run("Let me run the tests to see what fails.", "cd /repo && python -m pytest -q", 1, &failing_run());
    story.read("", "tests/test_totals.py", 1, TEST);
    story.read("Now let me look at the implementation.", "invoicing/totals.py", 1, TOTALS);
    story.search(
        "",
        "rate_for",
        &[
            ("invoicing/totals.py", 3, "from .rates import rate_for"),
            (
                "invoicing/totals.py",
                18,
                "            total += float(line.price * line.quantity) * rate_for(line.category)",
            ),
            ("invoicing/rates.py", 5, "def rate_for(category):"),
        ],
    );
    story.read("", "invoicing/rates.py", 1, RATES);
    story.run("", "git log --oneline -5", 0, "4fd01c2 Add food to the reduced rate\n91be03a Start\n");
    let probe = "python - <<'EOF'\nfrom decimal import Decimal\nprint(float(Decimal('9.99') * 3) * 0.07)\nEOF";
    story.run("Let me check the arithmetic by hand.", probe, 0, "2.0978999999999997\n");
    story.todo(&[
        ("find where the cent is lost", TodoState::InProgress),
        ("repair it without changing the API", TodoState::Pending),
        ("run the whole suite", TodoState::Pending),
    ]);
    story.read("", "invoicing/model.py", 1, &"# a line of the model that matters to nobody here\n".repeat(60));
    story.run(
        "",
        "grep -rn 'float(' invoicing",
        0,
        "invoicing/totals.py:18:            total += float(line.price * line.quantity) * rate_for(line.category)\n",
    );
}

/// Steps 12 to 21.
fn repair(story: &mut Story) {
    story.edit(
        "The root cause is that `tax()` adds binary floats: 9.99 × 3 × 0.07 becomes 2.0978999…, and the cent is lost when the sum is rounded. The rates must be decimals, too.",
        "invoicing/rates.py",
        1,
        &["RATES = {\"books\": 0.07, \"food\": 0.07}", "STANDARD = 0.19"],
        &[
            "from decimal import Decimal",
            "",
            "RATES = {\"books\": Decimal(\"0.07\"), \"food\": Decimal(\"0.07\")}",
            "STANDARD = Decimal(\"0.19\")",
        ],
    );
    story.edit(
        "",
        "invoicing/totals.py",
        16,
        &[
            "        total = 0.0",
            "        for line in self.invoice.lines:",
            "            total += float(line.price * line.quantity) * rate_for(line.category)",
            "        return round(total, 2)",
        ],
        &[
            "        total = Decimal(0)",
            "        for line in self.invoice.lines:",
            "            total += line.price * line.quantity * rate_for(line.category)",
            "        return total.quantize(CENT, ROUND_HALF_UP)",
        ],
    );
    let broken = "Traceback (most recent call last):\n  File \"/repo/invoicing/totals.py\", line 19, in tax\n    return total.quantize(CENT, ROUND_HALF_UP)\nNameError: name 'CENT' is not defined\n";
    story.run("", "python -m invoicing --check", 1, broken);
    story.edit(
        "`CENT` and the rounding mode are missing from the imports.",
        "invoicing/totals.py",
        1,
        &["from decimal import Decimal"],
        &["from decimal import ROUND_HALF_UP, Decimal"],
    );
    story.edit("", "invoicing/totals.py", 4, &[""], &["", "CENT = Decimal(\"0.01\")", ""]);
    story.run("", "python -m invoicing --check", 0, "3 invoices, 0 differences\n");
    let green = failing_run().replace("2 failed, 718 passed", "720 passed");
    let green: String = green
        .lines()
        .filter(|line| !line.starts_with("FAILED") && !line.starts_with('E'))
        .map(|line| format!("{line}\n"))
        .collect();
    story.run("Now I'll run the whole suite.", "cd /repo && python -m pytest -q", 0, &green);
    story.todo(&[
        ("find where the cent is lost", TodoState::Done),
        ("repair it without changing the API", TodoState::Done),
        ("run the whole suite", TodoState::Done),
    ]);
    story.run(
        "",
        "git add -A && git commit -m 'Compute tax with decimals'",
        0,
        "[main 7c1d2e0] Compute tax with decimals\n 2 files changed, 9 insertions(+), 6 deletions(-)\n",
    );
    story.answer("Totals are exact now: `tax()` and the rates use `Decimal`, and rounding is half up, as the tests expect.\n\n- `invoicing/rates.py`: rates are decimals\n- `invoicing/totals.py`: one rounding at the end of `tax()`");
}

/// Steps 22 to 30.
fn extend(story: &mut Story) {
    story.todo(&[
        ("round the tax of each line", TodoState::InProgress),
        ("run the tests again", TodoState::Pending),
        ("mention it in CHANGELOG.md", TodoState::Pending),
    ]);
    story.read("", "invoicing/totals.py", 17, "    def tax(self):\n        total = Decimal(0)\n        for line in self.invoice.lines:\n            total += line.price * line.quantity * rate_for(line.category)\n        return total.quantize(CENT, ROUND_HALF_UP)\n");
    story.edit(
        "Each line has to be rounded before it is added, so `quantize` moves into the loop.",
        "invoicing/totals.py",
        20,
        &[
            "            total += line.price * line.quantity * rate_for(line.category)",
            "        return total.quantize(CENT, ROUND_HALF_UP)",
        ],
        &[
            "            tax = line.price * line.quantity * rate_for(line.category)",
            "            total += tax.quantize(CENT, ROUND_HALF_UP)",
            "        return total",
        ],
    );
    story.run(
        "",
        "cd /repo && python -m pytest -q",
        1,
        &failing_run().replace("2.56", "2.58").replace("34.98", "35.00"),
    );
    story.run("", "cat CHANGELOG.md | head -5", 0, "# Changelog\n\n## Unreleased\n");
    story.search(
        "",
        "quantize",
        &[("invoicing/totals.py", 21, "            total += tax.quantize(CENT, ROUND_HALF_UP)")],
    );
    story.read("", "CHANGELOG.md", 1, "# Changelog\n\n## Unreleased\n\n- Food has the reduced rate.\n");
    story.run("Rounding per line gives 2.58 where the tests expect 2.57, because 2.0979 and 0.4655 are both rounded up; the two wishes contradict each other.", "git status --short", 0, " M invoicing/totals.py\n");
}
