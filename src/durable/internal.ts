export { answerApprovals } from './answer-approvals.ts';
export { type AskedQuestion, askedQuestions } from './asked-questions.ts';
export { type ChangesBack, changesBack } from './changes-back.ts';
export { evaluateDurably } from './evaluate-durably.ts';
export { forkRun } from './fork-run.ts';
export { pendingApprovals } from './pending-approvals.ts';
export { resumeRun } from './resume-run.ts';
export { type RewindReport, rewindFolder } from './rewind-folder.ts';
export { settleRun } from './settle-run.ts';
