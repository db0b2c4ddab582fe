import { SandboxError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { CodeEvaluationLanguage, UnusableEvaluator } from './protocol.ts';

const languages = {
  javascript: { name: 'JavaScript', peer: 'quickjs-emscripten', install: 'quickjs-emscripten@^0.32.0' },
  python: { name: 'Python', peer: '@pydantic/monty', install: '@pydantic/monty@^0.0.18' },
} as const satisfies Readonly<Record<CodeEvaluationLanguage, object>>;

/** The error for a language whose package is not installed or does not work. */
export function unusableError({ unusable, language, isMissing }: UnusableEvaluator): SandboxError {
  const { name, peer, install } = languages[language];
  const remedy = `with \`npm install ${install}\`, or leave "${language}" out of the option languages.`;
  const what = isMissing
    ? `the package "${peer}" could not be loaded. Install it ${remedy}`
    : `the package "${peer}" does not work: ${sentence(unusable)} Install a supported version ${remedy}`;
  return new SandboxError('sandbox-unavailable', `The evaluation of ${name} does not work here: ${what}`, {
    cause: new Error(unusable),
    details: { backend: 'evaluate', option: 'languages' },
  });
}

/** The error for a process that could not be started. */
export function startError(reason: string, cause: unknown): SandboxError {
  return new SandboxError(
    'sandbox-unavailable',
    `The evaluation of code does not work here: ${sentence(reason)} It needs a process of Node beside this one.`,
    { ...present({ cause }), details: { backend: 'evaluate' } },
  );
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
