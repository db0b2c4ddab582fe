import { resolve } from 'node:path';
import type { AnyAgent, ProviderAdapter } from '../../core/evaluation/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import type { DynamicParams, OverridesSource, Prompt } from '../../core/prompt/index.ts';
import type { AnyResourceBinding } from '../../core/resource/index.ts';
import { Redactor } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { folderName, type OpenedFolder } from '../folder/open-folder.ts';
import { refuseJournalInside } from '../journal/journal-name.ts';
import type { OpenedJournal } from '../journal/opened-journal.ts';
import type { ModelSituation } from '../model/choose-model.ts';
import type { JournalNames } from '../options/journal-names.ts';
import type { AddedTexts, ApplyMode, OverridesChoice, SandboxChoice } from '../options/option-values.ts';
import type { Disposals } from '../process/disposals.ts';
import { type CliEnvironment, unlessAborted } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { hostRedact } from '../process/redact.ts';
import { recordsFolder } from '../records/records-folder.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { readTexts } from './added-texts.ts';
import { bindAgent, hasOwnLoop, mountServers } from './bind-agent.ts';
import type { CommandParts } from './command-parts.ts';
import type { RecordFile, RecordFileOptions } from './record-file.ts';
import { sandboxBindings } from './sandbox-bindings.ts';

/** What a command asks of the agent that it opens. */
export interface OpenAgentRequest {
  /** Path of a module; undefined: the agent is made for the folder. */
  readonly agent: string | undefined;
  /** Undefined: the current folder, for an agent that works on files. */
  readonly workspace: string | undefined;
  readonly params: JsonObject;
  /** When changes are written to the folder; undefined: never. */
  readonly apply: ApplyMode | undefined;
  readonly overrides: OverridesChoice | undefined;
  readonly sandbox: SandboxChoice | undefined;
  readonly mcpFile: string | undefined;
  /** Texts that the agent gets besides its own. Default: none. */
  readonly texts?: AddedTexts | undefined;
  readonly hasTelemetry: boolean;
}

/** How {@link openAgent} opens it. */
export interface OpenAgentOptions {
  readonly environment: CliEnvironment;
  readonly parts: CommandParts;
  /** Closes what was opened, also when a later step fails. */
  readonly opened: Disposals;
  /** Undefined: no model is asked. */
  readonly model?: Pick<ModelSituation, 'choice' | 'baseUrl' | 'timeoutMs'>;
  /** What names the journal, undefined for the default one. Undefined: none is opened. */
  readonly journal: { readonly names: JournalNames | undefined } | undefined;
  /** Opens the journal. Default: as `journals.open()` does. @returns undefined: the run does without. */
  readonly openJournal?: (names: JournalNames | undefined) => Promise<OpenedJournal | undefined>;
  /** Whether `--apply` was given, which an agent without files refuses. Default: false. */
  readonly isApplyNamed?: boolean;
  /** Whether the agent gets no folder, and works on what its template binds. Default: false. */
  readonly isWithoutFolder?: boolean;
  /** What the user can do when the folder is in use, other than wait. Default: nothing. */
  readonly insteadOfWaiting?: string | undefined;
  /** Makes the agent of a request that names none. */
  readonly makeAgent?: (folder: OpenedFolder) => Promise<AnyAgent>;
  /** Gets what the user should know, in whole lines. */
  readonly say: (line: string) => void;
  /** Gets what servers report. Default: none. */
  readonly logger?: Logger | undefined;
}

/** An agent that is ready to be run or served. */
export interface OpenedAgent {
  /** With its params, and the tools of mounted servers. */
  readonly agent: AnyAgent;
  readonly params: DynamicParams;
  /** Bound without the resources of a run. */
  readonly prompt: Prompt;
  /** Undefined: none is asked. */
  readonly model: ProviderAdapter | undefined;
  /** Name of the folder in the prompt. */
  readonly workspaceName: string;
  /** Undefined: the agent does not use files. */
  readonly folder: OpenedFolder | undefined;
  readonly journal: OpenedJournal | undefined;
  /** The backend of the command line, in the place of the agent's own. */
  readonly resources: readonly AnyResourceBinding[];
  readonly overrides: OverridesSource | undefined;
  /** Undefined: the run is not reported. */
  readonly telemetry: Telemetry | undefined;
  /** Removes what must not be shown from texts. */
  readonly redactor: Redactor;
}

/**
 * Loads an agent and opens all that it is run with: servers, model, sandbox, overrides, telemetry, journal, folder. What is opened is closed with `opened`: the folder, then the
 * journal, then the telemetry, then the servers.
 *
 * @throws {UsageError} when something is missing or invalid; the reason of the environment's signal when it is aborted meanwhile.
 */
export async function openAgent(request: OpenAgentRequest, options: OpenAgentOptions): Promise<OpenedAgent> {
  const { environment, journal: asked, opened, parts, say } = options;
  const { signal, variables, version, cacheFolder } = environment;
  const loaded =
    request.agent === undefined
      ? undefined
      : await unlessAborted(parts.load(request.agent, cacheFolder), signal);
  const mounted = await mountServers(request.mcpFile, environment, parts, opened, options.logger);
  for (const note of mounted?.notes ?? []) say(`${note}.`);
  const texts = await unlessAborted(readTexts(request.texts, options.logger), signal);
  const withMore = (agent: AnyAgent): AnyAgent => {
    const withTools = mounted?.addTo(agent) ?? agent;
    return texts?.addTo(withTools) ?? withTools;
  };

  const own = loaded === undefined ? undefined : { ...loaded, agent: withMore(loaded.agent) };
  const module =
    own === undefined || request.agent === undefined ? undefined : { ...own, path: request.agent };
  if (module !== undefined) refuseUnusedFolder(module.agent, request, options);
  const hasNoFolder = options.isWithoutFolder === true;
  const workspaceName = hasNoFolder || module?.agent.workspace === false ? '' : folderName(request.workspace);
  const bound =
    module === undefined
      ? undefined
      : await bindAgent(
          module,
          { ...request, agent: module.path, workspaceName, model: options.model },
          environment,
          parts,
          say,
        );
  const takesFolder = bound === undefined || (!hasNoFolder && usesFiles(bound, request));
  if (options.isApplyNamed === true && !takesFolder) {
    throw new UsageError(`${printable(bound.agent.name)} does not use files: there is nothing to --apply.`);
  }
  const resources =
    bound === undefined
      ? []
      : await sandboxBindings(request.sandbox, bound.agent.name, bound.prompt.resources());
  if (asked !== undefined && hasOwnLoop(bound?.model)) {
    throw new UsageError(
      `--durable needs a model whose turns can be kept, and "${printable(bound.model.name)}" runs a loop of its own: name one with --model.`,
    );
  }

  const agentFolder = loaded?.folder;
  const telemetry = request.hasTelemetry
    ? await unlessAborted(
        parts.startTelemetry({ agentFolder: agentFolder ?? resolve('.'), variables, version }),
        signal,
      )
    : undefined;
  const workspace = takesFolder ? resolve(request.workspace ?? '.') : undefined;
  if (workspace !== undefined) await texts?.checkTrust(workspace);
  const redact = hostRedact({ workspace, agentFolder }, environment, mounted?.secrets);
  const redactor = new Redactor(redact, () => undefined); // It never throws.
  opened.defer(async () => {
    for (const line of (await telemetry?.end()) ?? []) say(redactor.text(line));
  });

  signal.throwIfAborted();
  const journal =
    asked === undefined ? undefined : await openJournal(asked.names, request, takesFolder, options);
  if (journal !== undefined) opened.use(journal);
  const rules = bound?.agent.workspace;
  const folder = takesFolder
    ? await parts.open(request.workspace, rules === false ? {} : (rules ?? {}), request.apply, {
        journal,
        insteadOfWaiting: options.insteadOfWaiting,
      })
    : undefined;
  if (folder !== undefined) opened.defer(() => folder.close());
  for (const note of folder?.notes ?? []) say(`${note}.`);
  const common = { workspaceName, folder, journal, resources, telemetry, redactor };
  if (bound !== undefined) return { ...bound, ...common };
  if (folder === undefined || options.makeAgent === undefined)
    throw new TypeError('A folder is opened where no agent is named.');
  const agent = withMore(await options.makeAgent(folder));
  return {
    ...common,
    agent,
    params: {},
    prompt: agent.template.bind(),
    model: undefined,
    overrides: undefined,
  };
}

/** @throws {UsageError} for a folder that was named for an agent that works without one. */
function refuseUnusedFolder(
  { name, workspace: rules }: AnyAgent,
  { workspace }: OpenAgentRequest,
  { isApplyNamed = false }: OpenAgentOptions,
): void {
  if (rules !== false || (workspace === undefined && !isApplyNamed)) return;
  throw new UsageError(
    `${printable(name)} does not use a workspace: leave out ${isApplyNamed ? '--apply' : '--workspace'}.`,
  );
}

function usesFiles(
  { agent: { workspace: rules }, prompt }: Pick<OpenedAgent, 'agent' | 'prompt'>,
  { texts, workspace }: OpenAgentRequest,
): boolean {
  if (rules === false) return false;
  const isNamed = rules !== undefined || workspace !== undefined || texts?.hasInstructions === true;
  return isNamed || prompt.resources().has(Filesystem);
}

async function openJournal(
  names: JournalNames | undefined,
  { workspace }: OpenAgentRequest,
  takesFolder: boolean,
  { openJournal: open, parts }: OpenAgentOptions,
): Promise<OpenedJournal | undefined> {
  refuseJournalInside(names, parts.journals.pathsOf(names), takesFolder ? (workspace ?? '.') : undefined);
  return open === undefined ? parts.journals.open(names) : open(names);
}

/** Opens the record of a run of an agent that is open. `number`: see {@link RecordFileOptions.number}. */
export function openRecordOf(
  { agent, folder, redactor, workspaceName }: OpenedAgent,
  { agent: module = '', params }: Pick<OpenAgentRequest, 'agent' | 'params'>,
  {
    file,
    number = 1,
    isInReport = false,
    variables,
  }: Pick<RecordFileOptions, 'file' | 'number' | 'isInReport'> & Pick<CliEnvironment, 'variables'>,
  { openRecord }: Pick<CommandParts, 'openRecord'>,
): Promise<RecordFile> {
  return openRecord({
    file,
    folder: recordsFolder(variables),
    variables,
    number,
    isInReport,
    agentName: agent.name,
    module,
    workspace: folder?.hostPath,
    workspaceName,
    apply: folder === undefined ? undefined : (folder.mode ?? 'never'),
    // What is redacted is JSON as before.
    params: redactor.fields(params) as JsonObject,
    now: () => systemClock.now(),
  });
}
