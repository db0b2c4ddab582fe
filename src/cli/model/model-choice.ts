import { isBuiltin } from 'node:module';
import { nearestNames } from '../../core/internal/index.ts';
import { UsageError } from '../process/errors.ts';

/** A provider with a client of its own. */
export type Vendor = 'openai' | 'anthropic';

/** Values of `--model`. */
export type ModelChoice =
  | { readonly kind: Vendor; readonly model: string }
  /** A model of a provider package of the AI SDK. */
  | { readonly kind: 'ai-sdk'; readonly package: string; readonly model: string }
  /** Claude Code, with this model or the one that it chooses. */
  | { readonly kind: 'claude-agent'; readonly model: string | undefined }
  /** An agent that speaks the Agent Client Protocol, started by this line. */
  | { readonly kind: 'acp'; readonly line: string }
  /** The agent's own model. */
  | { readonly kind: 'rule-based' };

/** Whether the model is asked at a server that `--base-url` may name. */
export function takesBaseUrl(choice: ModelChoice | undefined): boolean {
  return choice?.kind === 'openai' || choice?.kind === 'anthropic';
}

/** Whether the command makes the adapter that waits for the provider: `--timeout` limits that. */
export function takesTimeout(choice: ModelChoice | undefined): boolean {
  return takesBaseUrl(choice) || choice?.kind === 'ai-sdk';
}

/** All forms of a model name, for messages. */
export const modelForms =
  'openai:NAME, anthropic:NAME, ai-sdk:PACKAGE:NAME, claude-agent, acp:COMMAND or rule-based';

/** How the value of `--model` may begin. */
export const modelPrefixes = [
  'openai:',
  'anthropic:',
  'ai-sdk:',
  'claude-agent',
  'acp:',
  'rule-based',
] as const;

/** Name of an npm package, with or without a subpath; never a file path. */
const packageName = /^(@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*(\/[A-Za-z0-9-][A-Za-z0-9._-]*)*$/;

/** @throws {UsageError} for an invalid value. */
export function readModelChoice(text: string): ModelChoice {
  if (text === 'rule-based') return { kind: 'rule-based' };
  if (text === 'claude-agent') return { kind: 'claude-agent', model: undefined };
  const [kind, name] = splitOff(text);
  if (name !== '') {
    if (kind === 'openai' || kind === 'anthropic') return { kind, model: name };
    if (kind === 'claude-agent') return { kind, model: name };
    if (kind === 'acp') return { kind, line: name };
    if (kind === 'ai-sdk') return readPackageChoice(text, name);
  }
  throw new UsageError(`--model is "${text}"; it must be ${modelForms}.${questionAbout(text)}`);
}

/** Who makes models that are called so. */
const makers: readonly (readonly [name: RegExp, prefix: string])[] = [
  [/^(?:gpt|chatgpt|codex|o\d)(?:-|$)/i, 'openai:'],
  [/^claude-(?!agent)/i, 'anthropic:'],
  [/^gemini-/i, 'ai-sdk:@ai-sdk/google:'],
];

/** A question that ends the message about a value: the name of a model alone, one after a slash, or nearly one of the words. */
function questionAbout(text: string): string {
  const [, vendor, model] = /^(openai|anthropic)\/(.+)$/.exec(text) ?? [];
  if (vendor !== undefined) return ` Did you mean ${vendor}:${model}?`;
  const [kind, name] = splitOff(text);
  const words = modelPrefixes.map((each) => splitOff(each)[0]);
  const [nearest] = nearestNames(kind, words);
  if (nearest !== undefined && nearest !== kind)
    return ` Did you mean ${name === '' ? nearest : `${nearest}:${name}`}?`;
  const prefix = makers.find(([pattern]) => pattern.test(text))?.[1];
  return prefix === undefined ? '' : ` Did you mean ${prefix}${text}?`;
}

/** The value of `--model`, as it is written on the command line. */
export function modelChoiceText(choice: ModelChoice): string {
  if (choice.kind === 'rule-based') return choice.kind;
  if (choice.kind === 'acp') return `acp:${choice.line}`;
  if (choice.kind === 'claude-agent' && choice.model === undefined) return choice.kind;
  return [choice.kind, ...(choice.kind === 'ai-sdk' ? [choice.package] : []), choice.model].join(':');
}

function readPackageChoice(text: string, rest: string): ModelChoice {
  const [name, model] = splitOff(rest);
  if (packageName.test(name) && !isBuiltin(name) && model !== '') {
    return { kind: 'ai-sdk', package: name, model };
  }
  throw new UsageError(
    `--model is "${text}"; with ai-sdk it must name a package and a model of it, such as ai-sdk:@ai-sdk/google:gemini-2.5-pro.`,
  );
}

/** The text before the first colon, and the text after it. */
function splitOff(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1).trim()];
}
