export { type HiddenForm, hideForms } from './hide-forms.ts';
export { redactPatterns } from './redact-patterns.ts';
export { redactSecrets } from './redact-secrets.ts';
export { type Redaction, Redactor } from './redactor.ts';
