//! One round of work: from what a person asked to the answer without a tool call, or to whatever ends it before.

use std::sync::Arc;

use lookback_engine::{
    Session, SessionError,
    session::Wish,
    trace::{AssistantPart, EventBody, Stop, TurnNo},
};
use lookback_models::{
    Model,
    driving::{CallError, Cancel, CompactorModel, Prompts, call, write_block, write_summary},
};

use crate::{
    guard::Guard,
    house::{AgentError, House, News, keep, recorded},
    limits::{Limits, Spent, expected},
    permission::Rules,
    step::{Bench, StepEnd, record_ended_jobs, run_calls},
    too_large::take_out,
    workshop::{Jobs, Workshop},
};

/// Answers that were cut off in a row: after so many the provider is not worth another try.
const CUT_IN_A_ROW: u32 = 3;

/// Answers that left no room, in a row: a model that was told so often does not know better.
const TAKEN_OUT_IN_A_ROW: u32 = 3;

/// Everything that a round needs beside the session.
#[derive(Debug)]
pub struct Agent<'a> {
    /// Who answers.
    pub model: &'a Model,
    /// Who writes blocks and summaries where it is not the rules.
    pub compactor: Option<Compactor<'a>>,
    /// What tools do.
    pub workshop: Arc<dyn Workshop>,
    /// What may run.
    pub rules: Rules,
    /// What it may take.
    pub limits: Limits,
}

/// A model that writes blocks and summaries, and what it is asked with.
#[derive(Debug)]
pub struct Compactor<'a> {
    /// How it is reached.
    pub model: CompactorModel<'a>,
    /// The texts of `prompts/`.
    pub prompts: Prompts<'a>,
}

/// How a round ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// The model answered without a call.
    Done(String),
    /// It reached the most steps.
    Steps(u32),
    /// The coming call would have cost too much: spent so far, and expected, in dollars.
    Cost {
        /// So far.
        spent: f64,
        /// Of the call that was not made.
        expected: f64,
    },
    /// The model gave up because a call was not permitted.
    NotPermitted {
        /// Why that call did not run.
        why: String,
        /// What it said.
        answer: String,
    },
    /// The same tool with the same result, again and again.
    Circle(String),
    /// Answers of so many tokens leave no room for another in the window.
    TooLarge(u64),
    /// The provider or the model would not answer.
    Refused(String),
    /// By the person.
    Cancelled,
}

/// Works on what the newest turns ask, until something ends it. No command outlives it.
pub async fn work(
    agent: &Agent<'_>,
    session: &mut Session,
    cancel: &mut Cancel,
    house: &mut dyn House,
) -> Result<Ended, AgentError> {
    let ended = steps(agent, session, cancel, house).await?;
    record_ended_jobs(session, &agent.workshop, Jobs::All, house)?;
    Ok(ended)
}

async fn steps(
    agent: &Agent<'_>,
    session: &mut Session,
    cancel: &mut Cancel,
    house: &mut dyn House,
) -> Result<Ended, AgentError> {
    let first = session.trace().len();
    let (mut guard, mut steps, mut cut, mut went_on, mut denied) = (Guard::default(), 0, 0, false, None);
    // How many answers in a row were taken out, and after which step the last was.
    let (mut took_out, mut took_out_at) = (0, 0);
    loop {
        if agent.limits.steps.is_some_and(|most| steps >= most) {
            return Ok(Ended::Steps(steps));
        }
        if let Some(ended) = too_dear(agent, session, first, house) {
            return Ok(ended);
        }
        if let Some(rules) = agent.workshop.changed_rules() {
            recorded(house, |context| session.rules_changed(rules, context))?;
            house.tell(&News::RulesChanged);
        }
        let called = match call(session, agent.model, cancel, house).await {
            Ok(called) => called,
            Err(CallError::Cancelled) => return Ok(Ended::Cancelled),
            // Whoever takes up a finished session without a new task gets its answer again.
            Err(CallError::Session(SessionError::NothingToAnswer)) if steps == 0 => {
                return last_answer(session)
                    .map(Ended::Done)
                    .ok_or_else(|| CallError::from(SessionError::NothingToAnswer).into());
            }
            Err(CallError::Session(SessionError::WindowExceeded(exceeded))) => {
                keep(session, house)?;
                let Some(tokens) = take_out(session, &exceeded, house)? else {
                    return Err(CallError::from(SessionError::WindowExceeded(exceeded)).into());
                };
                // The answer behind the last one that went was the next to go.
                took_out = if steps <= took_out_at + 1 { took_out + 1 } else { 1 };
                took_out_at = steps;
                if took_out >= TAKEN_OUT_IN_A_ROW {
                    return Ok(Ended::TooLarge(tokens));
                }
                house.tell(&News::TookOut(tokens));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        steps += 1;
        called.repairs.iter().for_each(|repair| house.tell(&News::Repaired(*repair)));
        house.tell(&News::Answered(&called));
        if let Some(why) = called.refused {
            return Ok(Ended::Refused(why));
        }
        match called.stop {
            Stop::End if called.turn.calls.is_empty() => {
                let answer = answer(session, called.turn.turn);
                return Ok(match denied {
                    Some(why) => Ended::NotPermitted { why, answer },
                    None => Ended::Done(answer),
                });
            }
            Stop::End => (cut, went_on) = (0, false),
            Stop::Cancelled => return Ok(Ended::Cancelled),
            // It is told, and goes on once.
            Stop::Limit if went_on => return Ok(Ended::Done(answer(session, called.turn.turn))),
            Stop::Limit => went_on = true,
            Stop::Cut => {
                cut += 1;
                let Some(error) = called.broken else { continue };
                if cut >= CUT_IN_A_ROW {
                    return Err(CallError::from(error).into());
                }
                house.tell(&News::CutOff(&error));
            }
        }
        if called.stop != Stop::End {
            continue;
        }
        let mut bench = Bench { workshop: &agent.workshop, rules: &agent.rules, guard: &mut guard };
        match run_calls(session, called.turn.turn, &called.turn.calls, &mut bench, cancel, house).await? {
            StepEnd::GoOn(why) => denied = why,
            StepEnd::Cancelled => return Ok(Ended::Cancelled),
            StepEnd::Circle(tool) => return Ok(Ended::Circle(tool)),
        }
        tidy(agent, session, cancel, house).await?;
    }
}

fn too_dear(agent: &Agent<'_>, session: &Session, first: usize, house: &dyn House) -> Option<Ended> {
    let most = agent.limits.cost?;
    let spent = Spent::since(session, first, agent.compactor.as_ref().and_then(|compactor| compactor.model.card));
    let expected = expected(session, &spent, house.now())?;
    let spent = spent.dollars?;
    (spent + expected > most).then_some(Ended::Cost { spent, expected })
}

/// What the planner wants, by the rules or by a model.
async fn tidy(
    agent: &Agent<'_>,
    session: &mut Session,
    cancel: &mut Cancel,
    house: &mut dyn House,
) -> Result<(), AgentError> {
    let tidied = recorded(house, |context| session.tidy(context))?;
    keep(session, house)?;
    if let Some(report) = &tidied.archived {
        house.tell(&News::Archived(report, &[]));
    }
    if let Some(report) = &tidied.folded {
        house.tell(&News::Folded(report, &[]));
    }
    if let Some(report) = &tidied.stubbed {
        house.tell(&News::Stubbed(report));
    }
    let (Some(wish), Some(compactor)) = (tidied.wish, &agent.compactor) else { return Ok(()) };
    let Compactor { model, prompts } = compactor;
    let written = match &wish {
        Wish::Block(draft) => write_block(session, draft, model, prompts, cancel, house)
            .await
            .map(|written| house.tell(&News::Folded(&written.report, &written.problems))),
        Wish::Summary(draft) => write_summary(session, draft, model, prompts, cancel, house)
            .await
            .map(|written| house.tell(&News::Archived(&written.report, &written.problems))),
    };
    match written {
        Ok(()) | Err(CallError::Cancelled) => Ok(()),
        // What the rules cannot fold either stays as it is: the work goes on.
        Err(CallError::Session(SessionError::Fold(_) | SessionError::Archive(_))) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What was said last.
fn last_answer(session: &Session) -> Option<String> {
    let turn = session.trace().iter().rev().find_map(|event| match &event.event {
        EventBody::AssistantTurn(answer) => Some(answer.turn),
        _ => None,
    });
    turn.map(|turn| answer(session, turn))
}

/// The text of an answer.
fn answer(session: &Session, turn: TurnNo) -> String {
    let parts = session.trace().iter().rev().find_map(|event| match &event.event {
        EventBody::AssistantTurn(answer) if answer.turn == turn => Some(&answer.parts),
        _ => None,
    });
    let texts = parts.into_iter().flatten().filter_map(|part| match part {
        AssistantPart::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}
