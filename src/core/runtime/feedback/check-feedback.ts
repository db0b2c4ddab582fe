import {
  assertMembers,
  assertOptions,
  integer,
  number,
  type OptionsOf,
  PromptValidationError,
  type RefuseArgument,
  withDefaults,
} from '../../error/index.ts';
import { compileGlob } from '../../filesystem/index.ts';
import { isRecord, present } from '../../internal/index.ts';
import type { FeedbackProvider, FeedbackTriggers } from './feedback-provider.ts';

const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Triggers, with what each must be. */
const triggerChecks = {
  everyCalls: integer({ min: 1 }),
  everyMs: number({ above: 0 }),
  fileCreated: 'string',
} satisfies OptionsOf<FeedbackTriggers>;

/**
 * @throws {PromptValidationError} for a provider without a good name, of a name there is already, without a function, or without good triggers.
 * @throws {FilesystemError} code `pattern-invalid` for an invalid glob.
 */
export function checkFeedbackProviders(providers: readonly FeedbackProvider[]): void {
  const given: unknown = providers;
  if (!Array.isArray(given)) throw invalid('The option feedback must be a list of providers.');
  const names = new Set<string>();
  for (const provider of given as readonly unknown[]) {
    const name = checkProvider(provider);
    if (names.has(name)) throw invalid(`Two feedback providers have the name "${name}".`, name);
    names.add(name);
  }
}

function checkProvider(provider: unknown): string {
  if (!isRecord(provider)) throw invalid('A feedback provider must be an object.');
  const { name, triggers } = provider;
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw invalid(
      `The name ${JSON.stringify(name)} of a feedback provider is not valid: use 1 to 64 of a-z, 0-9, ".", "_", "-", starting with a letter or digit.`,
    );
  }
  const of = `The feedback provider "${name}"`;
  const refuse: RefuseArgument = (message) => invalid(message, name);
  assertMembers(of, provider, { provide: 'function!', shouldRun: 'function' }, refuse);
  assertOptions(of, triggers, triggerChecks, { path: 'triggers', refuse });
  const { everyCalls, everyMs, fileCreated } = withDefaults(
    triggerChecks,
    // It was checked to be one.
    triggers as object,
  );
  if (everyCalls === undefined && everyMs === undefined && fileCreated === undefined) {
    throw invalid(
      `${of} is never due: give it at least one trigger of ${Object.keys(triggerChecks).join(', ')}.`,
      name,
    );
  }
  if (fileCreated === '') throw invalid(`${of}: triggers.fileCreated must be a path or a glob.`, name);
  if (typeof fileCreated === 'string') compileGlob(fileCreated);
  return name;
}

function invalid(message: string, provider?: string): PromptValidationError {
  return new PromptValidationError(message, {
    details: { option: 'feedback', ...present({ provider }) },
  });
}
