import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { modelOf, type ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import { replayRun } from '../../record/index.ts';
import { type JournalFiles, sqliteJournalFiles } from '../durable/open-journal.ts';
import { chooseModel } from '../model/choose-model.ts';
import { type ModelMakers, modelMakers } from '../model/model-makers.ts';
import { type CliEnvironment, exitCodes, unlessAborted } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { readRecordOf } from '../record/journaled-record.ts';
import { bindParams } from '../run/bind-params.ts';
import { type LoadedAgent, loadAgent } from '../run/load-agent.ts';
import { folderName } from '../run/open-folder.ts';
import { chooseOverrides } from '../run/overrides.ts';
import { hostRedact } from '../run/redact.ts';
import type { ReplayRequest } from './replay-arguments.ts';
import { replayReportLines } from './replay-report-text.ts';

/** What the command takes from outside, so that tests can replace it. */
export interface ReplayParts {
  readonly load: (name: string) => Promise<LoadedAgent>;
  readonly makers: ModelMakers;
  readonly journals: JournalFiles;
}

/**
 * Replays a recorded run with the agent as it is now, and reports what differs. The module of the agent is loaded, so it is trusted; a path from the
 * record is content of others and is only used when it was not given, and then it is shown.
 *
 * @returns the exit code of the process: 0 when all is the same, 1 when something differs, whatever a live model made of it.
 * @throws {UsageError} for a file that is not a record, the record of a tool runtime, an agent that cannot be loaded or bound, overrides that do not exist, and a model that
 * cannot be made.
 */
export async function replayCommand(
  request: ReplayRequest,
  environment: CliEnvironment,
  { load = loadAgent, makers = modelMakers, journals = sqliteJournalFiles }: Partial<ReplayParts> = {},
): Promise<number> {
  const { mcpFile: file } = request;
  if (file === undefined) return replay(request, environment, { load, makers, journals });
  const { openMcpServers } = await import('../run/mcp-servers.ts');
  const { signal, variables } = environment;
  const mounted = await openMcpServers({ file, variables, signal, logger: undefined });
  try {
    for (const note of mounted.notes) environment.stderr.write(`wink: ${note}.\n`);
    const loadWithTools: typeof load = async (name) => {
      const loaded = await load(name);
      return { ...loaded, agent: mounted.addTo(loaded.agent) };
    };
    return await replay(request, environment, { load: loadWithTools, makers, journals }, mounted.secrets);
  } finally {
    await mounted.close();
  }
}

async function replay(
  request: ReplayRequest,
  environment: CliEnvironment,
  { load, makers, journals }: ReplayParts,
  secrets: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { signal, stdout, stderr, variables } = environment;
  const record = await unlessAborted(readRecordOf(request, 'replayed', environment, journals), signal);
  if (record.isToolRuntime) {
    throw new UsageError(
      `the run "${printable(record.runId)}" cannot be replayed: the loop around its calls is not in the record.`,
    );
  }
  const module = request.agent ?? record.module;
  if (module === undefined) {
    throw new UsageError('the record does not name its agent: wink replay RUN AGENT.');
  }
  if (request.agent === undefined) stderr.write(`wink: replaying the agent ${printable(module)}.\n`);
  const loaded = await unlessAborted(load(module), signal);
  const { agent } = loaded;
  const workspaceName =
    request.workspace === undefined
      ? (record.workspace ?? folderName(undefined))
      : folderName(request.workspace);
  const { params } = await unlessAborted(
    bindParams(agent, { ...record.params, ...request.params }, workspaceName),
    signal,
  );
  const overrides = await chooseOverrides(request.overrides, loaded, module);
  for (const note of overrides?.notes ?? []) stderr.write(`wink: ${note}\n`);
  const adapter =
    request.onDrift === 'continue'
      ? await unlessAborted(
          chooseModel({
            choice: request.model,
            baseUrl: request.baseUrl,
            agent,
            agentFolder: loaded.folder,
            params,
            workspaceName,
            variables,
            makers,
          }),
          signal,
        )
      : undefined;
  const { feedback, completion } = agent;
  const report = await replayRun({
    record,
    prompt: agent.template.bind(params),
    onDrift: request.onDrift,
    ...present({ adapter: adapter === undefined ? undefined : handoverOf(adapter), tools: request.tools }),
    options: {
      agentName: agent.name,
      signal,
      ...present({ feedback, completion, limits: agent.limits, overrides: overrides?.source }),
      redact: hostRedact(
        {
          workspace: request.workspace === undefined ? undefined : resolve(request.workspace),
          agentFolder: loaded.folder,
          workingFolder: resolve('.'),
          home: homedir(),
        },
        variables,
        secrets,
      ),
    },
  });
  if (request.isJson) {
    const { record: _record, ...plain } = report;
    stdout.write(`${JSON.stringify(plain)}\n`);
  } else for (const line of replayReportLines(report)) stdout.write(`${line}\n`);
  return report.isSame ? exitCodes.done : exitCodes.failed;
}

/** @throws {UsageError} for an adapter that cannot go on with a run: one that runs a loop of its own. */
function handoverOf(adapter: ProviderAdapter): ProviderAdapter {
  if (modelOf(adapter) !== undefined) return adapter;
  throw new UsageError(
    `--on-drift continue needs a model that can take over, and "${printable(adapter.name)}" runs a loop of its own: name one with --model, or use --on-drift force.`,
  );
}
