export { answerApprovals } from './approvals/answer-approvals.ts';
export { type AskedQuestion, askedQuestions } from './approvals/asked-questions.ts';
export { pendingApprovals } from './approvals/pending-approvals.ts';
export { evaluateDurably } from './evaluate-durably.ts';
export { type ChangesBack, changesBack } from './fork/changes-back.ts';
export { forkRun } from './fork/fork-run.ts';
export { rewindFolder } from './fork/rewind-folder.ts';
export { resumeRun } from './resume-run.ts';
export { settleRun } from './settle-run.ts';
