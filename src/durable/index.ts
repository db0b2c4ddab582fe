export { evaluateDurably } from './evaluate-durably.ts';
export { type ResumeRunOptions, resumeRun } from './resume-run.ts';
