//! What holds of the journal whatever is reported, in whatever order, with restarts in between.

use proptest::prelude::*;

use crate::api::records::AgentTurnState;

use super::tests::{House, capability, report};
use super::{Ledger, Report};

#[derive(Debug, Clone, Copy)]
enum Step {
    Report(AgentTurnState, u64, bool),
    Restart(bool),
    Cancel,
}

fn step() -> impl Strategy<Value = Step> {
    let states = prop::sample::select(AgentTurnState::ALL)
        .prop_filter("the server's own", |state| *state != AgentTurnState::Lost);
    prop_oneof![
        8 => (states, 1..6_u64, prop::bool::weighted(0.9)).prop_map(|(state, revision, proven)| Step::Report(state, revision, proven)),
        1 => any::<bool>().prop_map(Step::Restart),
        1 => Just(Step::Cancel),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_receipt_stays_true_and_nothing_else_gets_in(steps in prop::collection::vec(step(), 1..40)) {
        let mut house = House { now: 1_000, ..House::default() };
        house.runs("task-42", Some(3), 2);
        let secret = capability(3);
        let mut receipts: Vec<Report> = Vec::new();
        for step in steps {
            house.now += 1_000;
            match step {
                Step::Report(state, revision, proven) => {
                    let one = report(state, revision);
                    let before = (house.writes, house.ledger.journal_revision());
                    let proof = if proven { secret.as_str() } else { "forged" };
                    match house.take(&one, Some(proof)) {
                        Ok(admitted) => {
                            prop_assert!(proven);
                            prop_assert_eq!(admitted, !receipts.contains(&one));
                            if admitted {
                                receipts.push(one);
                            }
                        }
                        Err(_) => {
                            prop_assert_eq!(before, (house.writes, house.ledger.journal_revision()));
                        }
                    }
                }
                Step::Restart(runs) => {
                    let (ledger, rows) = Ledger::load(&house, |_| runs, house.now).unwrap().unwrap();
                    house.ledger = ledger;
                    house.keep(rows);
                }
                Step::Cancel => {
                    house.change(|ledger, now, rows| ledger.cancel("task-42", now, rows)).unwrap();
                }
            }
        }
        // The journal is what was receipted, in order, with nothing behind an end.
        let told: Vec<Report> = house
            .events
            .values()
            .filter(|(_, number, _)| *number > 0)
            .map(|(_, _, record)| Report::of_record(record))
            .collect();
        prop_assert_eq!(&told, &receipts);
        let rising = told.windows(2).all(|pair| pair[0].event_revision < pair[1].event_revision);
        prop_assert!(rising);
        let ends = told.iter().rev().skip(1).all(|one| !one.state.is_final());
        prop_assert!(ends);
        // Whatever was receipted is a duplicate for ever.
        for one in &receipts {
            prop_assert_eq!(house.take(one, Some(secret.as_str())), Ok(false));
        }
        // No two records share a place.
        prop_assert_eq!(house.events.keys().last().copied().unwrap_or_default(), house.ledger.journal_revision());
    }
}
