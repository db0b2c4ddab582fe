export { type AnswerApprovalsOptions, answerApprovals, type ResumeAnswer } from './answer-approvals.ts';
export { evaluateDurably } from './evaluate-durably.ts';
export { type ResumeRunOptions, resumeRun } from './resume-run.ts';
export { settleRun } from './settle-run.ts';
