export type { AnswerApprovalsOptions, ResumeAnswer } from './approvals/answer-approvals.ts';
export type { PendingApprovalsOptions } from './approvals/asked-questions.ts';
export type { ForkedRun, ForkRunOptions } from './fork/fork-run.ts';
export {
  answerApprovals,
  changedMeanwhile,
  forkRun,
  openToolRuntime,
  pendingApprovals,
  resumeRun,
  resumeWhenReady,
} from './on-demand.ts';
export type { ResumeRunOptions } from './resume-run.ts';
