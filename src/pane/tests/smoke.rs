use super::*;

#[test]
fn output_reaches_the_screen_and_the_exit_status_is_reported() {
    let test = TestPane::shell("printf 'hello\\n'; exit 3");
    assert_eq!(test.recorder.wait_for_exit().unwrap().code(), Some(3));
    assert!(test.text().contains("hello"));
}

#[test]
fn input_reaches_the_program() {
    let test = TestPane::shell("read line; echo \"<$line>\"; sleep 100");
    test.pane.send("over\n").unwrap();
    test.wait_for_text("<over>");
}
