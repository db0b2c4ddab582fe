export { type AnswerApprovalsOptions, answerApprovals, type ResumeAnswer } from './answer-approvals.ts';
export { evaluateDurably } from './evaluate-durably.ts';
export { type ForkedRun, type ForkRunOptions, forkRun } from './fork-run.ts';
export { type PendingApprovalsOptions, pendingApprovals } from './pending-approvals.ts';
export { type ResumeRunOptions, resumeRun } from './resume-run.ts';
export { settleRun } from './settle-run.ts';
