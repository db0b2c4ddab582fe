import { describeError, MissingPeerError, PromptValidationError } from '../../core/error/index.ts';
import type { AnyAgent, ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { DynamicParams } from '../../core/prompt/index.ts';
import { orUsageError, reasonOf, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { readAgentLine } from './agent-line.ts';
import { type ModelChoice, modelChoiceText, type Vendor } from './model-choice.ts';
import type { ModelMakers, VendorModel } from './model-makers.ts';

/** Inputs of a choice. */
export interface ModelSituation {
  readonly choice: ModelChoice | undefined;
  readonly baseUrl: string | undefined;
  /** The longest wait for the next sign of the provider; undefined: that of the adapter. */
  readonly timeoutMs: number | undefined;
  readonly agent: AnyAgent;
  /** Directory of the agent's module. */
  readonly agentFolder: string;
  readonly params: DynamicParams;
  readonly workspaceName: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Called only when `--model` requires it. */
  readonly makers: ModelMakers;
}

/** Local servers accept any key, but the clients require one. */
const placeholderKey = 'no-key';

/** The environment variable of a vendor's key, and of a token that replaces it. */
const credentials: Readonly<Record<Vendor, { readonly key: string; readonly token?: string }>> = {
  openai: { key: 'OPENAI_API_KEY' },
  anthropic: { key: 'ANTHROPIC_API_KEY', token: 'ANTHROPIC_AUTH_TOKEN' },
};

/**
 * The model of a run: from `--model`, otherwise from the agent. A key in the environment alone selects nothing.
 * @throws {UsageError} when there is no model, or the selected one cannot be created.
 */
export async function chooseModel(situation: ModelSituation): Promise<ProviderAdapter> {
  const { choice, agent, baseUrl, timeoutMs } = situation;
  if (choice?.kind === 'openai' || choice?.kind === 'anthropic') {
    return vendorModel(choice.kind, choice.model, situation);
  }
  if (choice?.kind === 'claude-agent' || choice?.kind === 'acp') return harness(choice, situation);
  if (baseUrl !== undefined) {
    throw new UsageError(
      choice?.kind === 'ai-sdk'
        ? '--base-url is for openai:NAME and anthropic:NAME; the packages of the AI SDK have their own settings.'
        : '--base-url names a server, not a model: add --model openai:NAME or anthropic:NAME.',
    );
  }
  if (choice?.kind === 'ai-sdk') {
    const { makers, agentFolder } = situation;
    const { package: of, model } = choice;
    const name = modelChoiceText(choice);
    return made(() => makers['ai-sdk']({ package: of, model, name, agentFolder, ...present({ timeoutMs }) }));
  }
  const name = printable(agent.name);
  if (agent.adapter !== undefined) {
    if (timeoutMs !== undefined)
      throw refuseTimeout(`${name} brings its own adapter, whose timeoutMs is set in its code`);
    return agentModel(agent.adapter, situation);
  }
  throw new UsageError(
    choice === undefined
      ? `${name} has no model, and none is selected: add --model openai:NAME (network, OPENAI_API_KEY), anthropic:NAME (ANTHROPIC_API_KEY) or ai-sdk:PACKAGE:NAME, with --base-url URL for another server, or give the agent an adapter.`
      : `${name} has no model of its own, so --model rule-based is not available: use --model openai:NAME, anthropic:NAME or ai-sdk:PACKAGE:NAME.`,
  );
}

/** An agent that asks its model itself: what it costs and whom it asks are its own settings. */
async function harness(
  choice: Extract<ModelChoice, { readonly kind: 'claude-agent' | 'acp' }>,
  { baseUrl, makers, timeoutMs, variables }: ModelSituation,
): Promise<ProviderAdapter> {
  if (baseUrl !== undefined) {
    throw new UsageError(
      `--base-url is for openai:NAME and anthropic:NAME; ${choice.kind} has settings of its own.`,
    );
  }
  if (timeoutMs !== undefined)
    throw refuseTimeout(`${choice.kind} asks its model itself, and --idle-timeout limits it`);
  const name = choice.kind === 'acp' ? choice.kind : modelChoiceText(choice);
  if (choice.kind === 'acp') {
    const line = readAgentLine(choice.line, variables);
    return made(() => makers.acp({ ...line, name }));
  }
  const { model } = choice;
  return made(() => makers['claude-agent']({ name, ...present({ model }) }));
}

async function vendorModel(
  vendor: Vendor,
  model: string,
  { baseUrl, variables, makers, timeoutMs }: ModelSituation,
): Promise<ProviderAdapter> {
  const name = `${vendor}:${model}`;
  const { key: keyName, token: tokenName } = credentials[vendor];
  const key = variables[keyName] ?? '';
  const token = tokenName === undefined ? '' : (variables[tokenName] ?? '');
  if (key === '' && token === '' && baseUrl === undefined) {
    throw new UsageError(
      `--model ${printable(name)} needs a key: set ${keyName}, or name a server that does not need one with --base-url URL.`,
    );
  }
  const credential: Pick<VendorModel, 'apiKey' | 'authToken'> =
    key === '' && token !== '' ? { authToken: token } : { apiKey: key === '' ? placeholderKey : key };
  return made(() =>
    makers[vendor]({
      model,
      name,
      ...credential,
      ...present({ baseURL: baseUrl, timeoutMs }),
    }),
  );
}

function refuseTimeout(why: string): UsageError {
  return new UsageError(
    `--timeout is for openai:NAME, anthropic:NAME and ai-sdk:PACKAGE:NAME of --model; ${why}.`,
  );
}

/** Turns an error that the user can fix into a usage error of one line. */
function made(make: () => Promise<ProviderAdapter>): Promise<ProviderAdapter> {
  const wordsOf = (error: unknown): string => printable(describeError(error));
  return orUsageError(make, wordsOf, MissingPeerError, PromptValidationError);
}

async function agentModel(
  model: NonNullable<AnyAgent['adapter']>,
  { agent, params, workspaceName }: ModelSituation,
): Promise<ProviderAdapter> {
  const adapter: unknown = await orUsageError(
    async () => (typeof model === 'function' ? model({ params, workspaceName }) : model),
    (error) => `the model of ${printable(agent.name)} cannot be created: ${reasonOf(error)}.`,
  );
  if (isAdapter(adapter)) return adapter;
  throw new UsageError(
    `the model of ${printable(agent.name)} is not an adapter: its function returned something else.`,
  );
}

function isAdapter(value: unknown): value is ProviderAdapter {
  return typeof value === 'object' && value !== null && 'stream' in value && 'name' in value;
}
