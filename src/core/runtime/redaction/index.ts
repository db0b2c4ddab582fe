export type { Redaction } from './redact.ts';
export { redactPatterns } from './redact-patterns.ts';
export { redactSecrets } from './redact-secrets.ts';
export { Redactor } from './redactor.ts';
