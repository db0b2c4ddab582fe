import { describeError, MissingPeerError, PromptValidationError } from '../../error/index.ts';
import type { AnyAgent, ProviderAdapter } from '../../evaluation/index.ts';
import type { DynamicParams } from '../../prompt/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { type ModelChoice, modelChoiceText, type Vendor } from './model-choice.ts';
import type { ModelMakers, VendorModel } from './model-makers.ts';

/** What a choice depends on. */
export interface ModelSituation {
  readonly choice: ModelChoice | undefined;
  readonly baseUrl: string | undefined;
  readonly agent: AnyAgent;
  /** Folder of the agent's module. */
  readonly agentFolder: string;
  readonly params: DynamicParams;
  readonly workspaceName: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Only called when `--model` asks for it. */
  readonly makers: ModelMakers;
}

/** Servers on this machine take any key, but the clients want one. */
const placeholderKey = 'no-key';

/** Where the key of a vendor is, and what may stand in its place. */
const credentials: Readonly<Record<Vendor, { readonly key: string; readonly token?: string }>> = {
  openai: { key: 'OPENAI_API_KEY' },
  anthropic: { key: 'ANTHROPIC_API_KEY', token: 'ANTHROPIC_AUTH_TOKEN' },
};

/**
 * The model of a run: what `--model` says, else what the agent brings. A key in the environment alone chooses nothing.
 * @throws {UsageError} when there is none, or the one that was chosen cannot be made.
 */
export async function chooseModel(situation: ModelSituation): Promise<ProviderAdapter> {
  const { choice, agent, baseUrl } = situation;
  if (choice?.kind === 'openai' || choice?.kind === 'anthropic') {
    return vendorModel(choice.kind, choice.model, situation);
  }
  if (baseUrl !== undefined) {
    throw new UsageError(
      choice?.kind === 'ai-sdk'
        ? '--base-url is for openai:NAME and anthropic:NAME; the packages of the AI SDK have settings of their own.'
        : '--base-url says where a model is, not which: add --model openai:NAME or anthropic:NAME.',
    );
  }
  if (choice?.kind === 'ai-sdk') {
    const { makers, agentFolder } = situation;
    const name = modelChoiceText(choice);
    return made(() => makers['ai-sdk']({ package: choice.package, model: choice.model, name, agentFolder }));
  }
  if (agent.model !== undefined) return agentModel(agent.model, situation);
  const name = printable(agent.name);
  throw new UsageError(
    choice === undefined
      ? `no model is chosen for ${name}, and it brings none: add --model openai:NAME (network, OPENAI_API_KEY), anthropic:NAME (ANTHROPIC_API_KEY) or ai-sdk:PACKAGE:NAME, with --base-url URL for another server, or give the agent a model of its own.`
      : `${name} brings no model of its own, so there is no rule-based one: choose --model openai:NAME, anthropic:NAME or ai-sdk:PACKAGE:NAME.`,
  );
}

async function vendorModel(
  vendor: Vendor,
  model: string,
  { baseUrl, variables, makers }: ModelSituation,
): Promise<ProviderAdapter> {
  const name = `${vendor}:${model}`;
  const { key: keyName, token: tokenName } = credentials[vendor];
  const key = variables[keyName] ?? '';
  const token = tokenName === undefined ? '' : (variables[tokenName] ?? '');
  if (key === '' && token === '' && baseUrl === undefined) {
    throw new UsageError(
      `--model ${printable(name)} needs a key: set ${keyName}, or name a server that needs none with --base-url URL.`,
    );
  }
  const credential: Pick<VendorModel, 'apiKey' | 'authToken'> =
    key === '' && token !== '' ? { authToken: token } : { apiKey: key === '' ? placeholderKey : key };
  return made(() =>
    makers[vendor]({
      model,
      name,
      ...credential,
      ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    }),
  );
}

/** What cannot be made for a reason that the person at the command line can do something about is told in one line. */
async function made(make: () => Promise<ProviderAdapter>): Promise<ProviderAdapter> {
  try {
    return await make();
  } catch (error) {
    if (!MissingPeerError.isInstance(error) && !PromptValidationError.isInstance(error)) throw error;
    throw new UsageError(printable(error.message), { cause: error });
  }
}

async function agentModel(
  model: NonNullable<AnyAgent['model']>,
  { agent, params, workspaceName }: ModelSituation,
): Promise<ProviderAdapter> {
  let adapter: unknown;
  try {
    adapter = typeof model === 'function' ? await model({ params, workspaceName }) : model;
  } catch (error) {
    const what = `the model of ${printable(agent.name)} cannot be made: ${printable(describeError(error))}`;
    throw new UsageError(what.replace(/\.?$/, '.'), { cause: error });
  }
  if (isAdapter(adapter)) return adapter;
  throw new UsageError(
    `the model of ${printable(agent.name)} is no adapter: its function returned something else.`,
  );
}

function isAdapter(value: unknown): value is ProviderAdapter {
  return typeof value === 'object' && value !== null && 'stream' in value && 'name' in value;
}
