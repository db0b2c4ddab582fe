export { answerApprovals } from './approvals/answer-approvals.ts';
export { type AskedQuestion, askedQuestions, pendingApprovals } from './approvals/asked-questions.ts';
export { cancelRun } from './cancel-run.ts';
export { continueRun, ensureRun } from './ensure-run.ts';
export {
  type ChangesBack,
  changesBack,
  type RewindPlace,
  rewindFolder,
  rewindPlace,
} from './fork/changes-back.ts';
export { forkRun } from './fork/fork-run.ts';
export { openRuntimeDurably } from './open-runtime-durably.ts';
export { changedMeanwhile } from './resume/changed-meanwhile.ts';
export { differingFiles } from './resume/files-of-run.ts';
export { settleRun } from './resume/land-last-commit.ts';
export { resumeRun } from './resume-run.ts';
export { askerOf, isLasting, whyWithoutEffect } from './run/question-runs.ts';
export { evaluateDurably } from './run/run-on-journal.ts';
export { sayToRun } from './say-to-run.ts';
