import type { AnyAgent, ProviderAdapter } from '../adapter/index.ts';
import { describeError, MissingPeerError } from '../error/index.ts';
import type { DynamicParams } from '../prompt/index.ts';
import { printable } from './plain-text.ts';
import { UsageError } from './usage-error.ts';

/** What `--model` can say. */
export type ModelChoice =
  | { readonly kind: 'openai'; readonly model: string }
  /** The model that the agent brings itself. */
  | { readonly kind: 'rule-based' };

/** What an OpenAI adapter is made from. */
export interface OpenaiOptions {
  readonly model: string;
  readonly baseURL?: string;
  readonly apiKey: string;
}

/** What a choice depends on. */
export interface ModelSituation {
  readonly choice: ModelChoice | undefined;
  readonly baseUrl: string | undefined;
  readonly agent: AnyAgent;
  readonly params: DynamicParams;
  readonly workspaceName: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Loads the adapter; only called when the network was asked for. May throw `MissingPeerError`. */
  readonly createOpenai: (options: OpenaiOptions) => Promise<ProviderAdapter>;
}

/** Servers on this machine take any key, but the client wants one. */
const NO_KEY = 'no-key';

/**
 * The model of a run: what `--model` says, else what the agent brings. A key in the environment alone chooses nothing.
 * @throws {UsageError} when there is none, or the one that was chosen cannot be made.
 */
export async function chooseModel(situation: ModelSituation): Promise<ProviderAdapter> {
  const { choice, agent, baseUrl } = situation;
  if (choice?.kind === 'openai') return openaiModel(choice.model, situation);
  if (baseUrl !== undefined) {
    throw new UsageError('--base-url says where a model is, not which: add --model openai:NAME.');
  }
  if (agent.model !== undefined) return agentModel(agent.model, situation);
  const name = printable(agent.name);
  throw new UsageError(
    choice === undefined
      ? `no model is chosen for ${name}, and it brings none: add --model openai:NAME (network, OPENAI_API_KEY), with --base-url URL for another server, or give the agent a model of its own.`
      : `${name} brings no model of its own, so there is no rule-based one: choose --model openai:NAME.`,
  );
}

async function openaiModel(
  model: string,
  { baseUrl, variables, createOpenai }: ModelSituation,
): Promise<ProviderAdapter> {
  const key = variables['OPENAI_API_KEY'] ?? '';
  if (key === '' && baseUrl === undefined) {
    throw new UsageError(
      `--model openai:${printable(model)} needs a key: set OPENAI_API_KEY, or name a server that needs none with --base-url URL.`,
    );
  }
  try {
    return await createOpenai({
      model,
      apiKey: key === '' ? NO_KEY : key,
      ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    });
  } catch (error) {
    if (!MissingPeerError.isInstance(error)) throw error;
    throw new UsageError(printable(error.message), { cause: error });
  }
}

async function agentModel(
  model: NonNullable<AnyAgent['model']>,
  { agent, params, workspaceName }: ModelSituation,
): Promise<ProviderAdapter> {
  let made: unknown;
  try {
    made = typeof model === 'function' ? await model({ params, workspaceName }) : model;
  } catch (error) {
    const what = `the model of ${printable(agent.name)} cannot be made: ${printable(describeError(error))}`;
    throw new UsageError(what.replace(/\.?$/, '.'), { cause: error });
  }
  if (isAdapter(made)) return made;
  throw new UsageError(
    `the model of ${printable(agent.name)} is no adapter: its function returned something else.`,
  );
}

function isAdapter(value: unknown): value is ProviderAdapter {
  return typeof value === 'object' && value !== null && 'evaluate' in value && 'name' in value;
}
