export type { AnswerApprovalsOptions, ResumeAnswer } from './answer-approvals.ts';
export type { ForkedRun, ForkRunOptions } from './fork-run.ts';
export { answerApprovals, forkRun, pendingApprovals, resumeRun } from './on-demand.ts';
export type { PendingApprovalsOptions } from './pending-approvals.ts';
export type { ResumeRunOptions } from './resume-run.ts';
