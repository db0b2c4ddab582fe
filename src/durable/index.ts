export type { AnswerApprovalsOptions, ResumeAnswer } from './approvals/answer-approvals.ts';
export type { PendingApprovalsOptions } from './approvals/asked-questions.ts';
export type { CancelRunOptions } from './cancel-run.ts';
export type { EnsureRunOptions } from './ensure-run.ts';
export type { ForkedRun, ForkRunOptions } from './fork/fork-run.ts';
export {
  answerApprovals,
  cancelRun,
  changedMeanwhile,
  continueRun,
  ensureRun,
  forkRun,
  pendingApprovals,
  resumeRun,
  sayToRun,
} from './on-demand.ts';
export { openToolRuntime } from './open-tool-runtime.ts';
export type { ResumedFiles } from './resume/files-of-run.ts';
export type { ResumeRunOptions } from './resume-run.ts';
export type { SayToRunOptions } from './say-to-run.ts';
