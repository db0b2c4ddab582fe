import { resolve } from 'node:path';
import { present } from '../../core/internal/index.ts';
import { replayRun } from '../../record/index.ts';
import { bindAgent, hasOwnLoop, mountServers } from '../agent/bind-agent.ts';
import { type CommandParts, ownParts } from '../agent/command-parts.ts';
import { folderName } from '../folder/open-folder.ts';
import { readRecordOf } from '../journal/journaled-record.ts';
import { Disposals } from '../process/disposals.ts';
import { type CliEnvironment, exitCodes, unlessAborted } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { hostRedact } from '../process/redact.ts';
import type { ReplayRequest } from './replay-arguments.ts';
import { replayReportLines } from './replay-report-text.ts';

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
  overrides: Partial<CommandParts> = {},
): Promise<number> {
  const parts = { ...ownParts, ...overrides };
  const { signal, stdout, stderr, variables } = environment;
  const say = (line: string): void => stderr.write(`wink: ${line}\n`);
  await using opened = new Disposals();
  const mounted = await mountServers(request.mcpFile, environment, parts, opened);
  for (const note of mounted?.notes ?? []) say(`${note}.`);
  const record = await unlessAborted(readRecordOf(request, 'replayed', environment, parts.journals), signal);
  if (record.isToolRuntime) {
    throw new UsageError(
      `the run "${printable(record.runId)}" cannot be replayed: the loop around its calls is not in the record.`,
    );
  }
  const module = request.agent ?? record.module;
  if (module === undefined) {
    throw new UsageError('the record does not name its agent: wink replay RUN AGENT.');
  }
  if (request.agent === undefined) say(`replaying the agent ${printable(module)}.`);
  const loaded = await unlessAborted(parts.load(module), signal);
  const bound = await bindAgent(
    { ...loaded, agent: mounted?.addTo(loaded.agent) ?? loaded.agent },
    {
      agent: module,
      params: { ...record.params, ...request.params },
      workspaceName:
        request.workspace === undefined
          ? (record.workspace ?? folderName(undefined))
          : folderName(request.workspace),
      overrides: request.overrides,
      model: request.onDrift === 'continue' ? { choice: request.model, baseUrl: request.baseUrl } : undefined,
    },
    environment,
    parts,
    say,
  );
  const { agent, prompt } = bound;
  if (hasOwnLoop(bound.model)) {
    throw new UsageError(
      `--on-drift continue needs a model that can take over, and "${printable(bound.model.name)}" runs a loop of its own: name one with --model, or use --on-drift force.`,
    );
  }
  const { feedback, completion } = agent;
  const report = await replayRun({
    record,
    prompt,
    onDrift: request.onDrift,
    ...present({ adapter: bound.model, tools: request.tools }),
    options: {
      agentName: agent.name,
      signal,
      ...present({ feedback, completion, limits: agent.limits, overrides: bound.overrides }),
      redact: hostRedact(
        {
          workspace: request.workspace === undefined ? undefined : resolve(request.workspace),
          agentFolder: loaded.folder,
        },
        variables,
        mounted?.secrets,
      ),
    },
  });
  if (request.isJson) {
    const { record: _record, ...plain } = report;
    stdout.write(`${JSON.stringify(plain)}\n`);
  } else for (const line of replayReportLines(report)) stdout.write(`${line}\n`);
  return report.isSame ? exitCodes.done : exitCodes.failed;
}
