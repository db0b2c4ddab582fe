import { type AnyAgent, modelOf, type ProviderAdapter } from '../../core/evaluation/index.ts';
import type { DynamicParams, OverridesSource, Prompt } from '../../core/prompt/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import type { MountedServers } from '../mcp/mcp-servers.ts';
import { chooseModel, type ModelSituation } from '../model/choose-model.ts';
import type { OverridesChoice } from '../options/option-values.ts';
import type { Disposals } from '../process/disposals.ts';
import { type CliEnvironment, unlessAborted } from '../process/environment.ts';
import { bindParams } from './bind-params.ts';
import type { CommandParts } from './command-parts.ts';
import { chooseOverrides } from './overrides.ts';

/** An agent that a command names, and what it is bound with. */
export interface BoundAgentRequest {
  /** Path of a module. */
  readonly agent: string;
  readonly params: JsonObject;
  readonly workspaceName: string;
  readonly overrides: OverridesChoice | undefined;
  /** Undefined: no model is asked. */
  readonly model: Pick<ModelSituation, 'choice' | 'baseUrl' | 'timeoutMs'> | undefined;
}

/** An agent with its params. */
export interface BoundAgent {
  /** With its params, all of them. */
  readonly agent: AnyAgent;
  readonly params: DynamicParams;
  /** Bound without the resources of a run. */
  readonly prompt: Prompt;
  readonly overrides: OverridesSource | undefined;
  readonly model: ProviderAdapter | undefined;
}

/** What the module of an agent has, and what is mounted. */
export interface LoadedModuleAgent {
  readonly agent: AnyAgent;
  /** Absolute path of the directory of its module. */
  readonly folder: string;
}

/**
 * Starts the servers of a file, which end with `opened`.
 *
 * @returns undefined without a file.
 * @throws {UsageError} for a file that cannot be used, and for a server that does not start.
 */
export async function mountServers(
  file: string | undefined,
  { signal, variables, secretNames = [] }: CliEnvironment,
  { openServers }: Pick<CommandParts, 'openServers'>,
  opened: Disposals,
  logger?: Logger,
): Promise<MountedServers | undefined> {
  if (file === undefined) return undefined;
  const mounted = await openServers({ file, variables, secretNames, signal, logger });
  opened.defer(() => mounted.close());
  return mounted;
}

/**
 * Binds the params of an agent that is loaded, finds its overrides, and makes its model.
 *
 * @param say gets what the user should know, one line each.
 * @throws {UsageError} for params that are missing or invalid, overrides that do not exist, and a model that cannot be made.
 */
export async function bindAgent(
  loaded: LoadedModuleAgent,
  request: BoundAgentRequest,
  { signal, variables }: CliEnvironment,
  { makers }: Pick<CommandParts, 'makers'>,
  say: (line: string) => void,
): Promise<BoundAgent> {
  const { agent, folder } = loaded;
  const { workspaceName } = request;
  const { params, prompt } = await unlessAborted(bindParams(agent, request.params, workspaceName), signal);
  const overrides = await chooseOverrides(request.overrides, loaded, request.agent);
  for (const note of overrides?.notes ?? []) say(note);
  const model =
    request.model === undefined
      ? undefined
      : await unlessAborted(
          chooseModel({
            ...request.model,
            agent,
            agentFolder: folder,
            params,
            workspaceName,
            variables,
            makers,
          }),
          signal,
        );
  return { agent: Object.freeze({ ...agent, params }), params, prompt, overrides: overrides?.source, model };
}

/** Whether a run on this model can be kept in a journal, and taken over: one that runs a loop of its own cannot. */
export function hasOwnLoop(model: ProviderAdapter | undefined): model is ProviderAdapter {
  return model !== undefined && modelOf(model) === undefined;
}
