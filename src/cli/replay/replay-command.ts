import { resolve } from 'node:path';
import { present } from '../../core/internal/index.ts';
import { type ReplayedCall, type ReplayedTurn, type ReplayReport, replayRun } from '../../record/index.ts';
import { readTexts } from '../agent/added-texts.ts';
import { bindAgent, hasOwnLoop, mountServers } from '../agent/bind-agent.ts';
import { type CommandParts, ownParts } from '../agent/command-parts.ts';
import type { ReplayRequest } from '../commands/replay.ts';
import { folderName } from '../folder/open-folder.ts';
import { readRecordOf } from '../journal/journaled-record.ts';
import { Disposals } from '../process/disposals.ts';
import { type CliEnvironment, exitCodes, unlessAborted, writeLines } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { hostRedact } from '../process/redact.ts';

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
  const parts = { ...ownParts(environment), ...overrides };
  const { signal, stdout, stderr } = environment;
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
  const loaded = await unlessAborted(parts.load(module, environment.cacheFolder), signal);
  const texts = await unlessAborted(readTexts(request.texts, undefined), signal);
  const withTools = mounted?.addTo(loaded.agent) ?? loaded.agent;
  const bound = await bindAgent(
    { ...loaded, agent: texts?.addTo(withTools) ?? withTools },
    {
      agent: module,
      params: { ...record.params, ...request.params },
      workspaceName:
        request.workspace === undefined
          ? (record.workspace ?? folderName(undefined))
          : folderName(request.workspace),
      overrides: request.overrides,
      model:
        request.onDrift === 'continue'
          ? { choice: request.model, baseUrl: request.baseUrl, timeoutMs: request.timeoutMs }
          : undefined,
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
    ...present({ adapter: bound.model, tools: request.tools, resources: request.resources }),
    options: {
      agentName: agent.name,
      signal,
      ...present({ feedback, completion, limits: agent.limits, overrides: bound.overrides }),
      redact: hostRedact(
        {
          workspace: request.workspace === undefined ? undefined : resolve(request.workspace),
          agentFolder: loaded.folder,
        },
        environment,
        mounted?.secrets,
      ),
    },
  });
  if (request.isJson) {
    const { record: _record, ...plain } = report;
    stdout.write(`${JSON.stringify(plain)}\n`);
  } else writeLines(stdout, replayReportLines(report));
  return report.isSame ? exitCodes.done : exitCodes.failed;
}

/** The calls that are listed: what is different, and what is not known. */
const listed: ReadonlySet<ReplayedCall['status']> = new Set(['changed', 'unrecorded', 'new']);

/** How many differences are listed. */
const maxListed = 20;

/** The report of a replay for a person, line by line. */
function replayReportLines(report: ReplayReport): readonly string[] {
  const { calls, turns, firstDifference, outcome, notes } = report;
  const lines = [
    `Calls: ${countsOf(calls)}. Requests: ${countsOf(turns)}.`,
    ...calls
      .filter(({ status }) => listed.has(status))
      .slice(0, maxListed)
      .flatMap(callLines),
    ...(outcome === undefined
      ? []
      : [`The run ended otherwise: it ${outcome.recorded}, and ${outcome.now} now.`]),
    ...notes,
  ];
  if (firstDifference === undefined) {
    lines.push(
      report.isSame
        ? 'Every call and every request is the same.'
        : 'The replay is not complete: what the record has no answer or end for is not compared.',
    );
  } else {
    const { turn, path, text } = firstDifference;
    const place = path.length === 0 ? `turn ${turn}` : `turn ${turn} inside ${path.join('/')}`;
    lines.push(`First difference, in ${place}: ${text}`);
    if (report.ending === 'stopped')
      lines.push(
        'The replay stopped there; --on-drift force keeps to the recorded answers, --on-drift continue asks a model.',
      );
    if (report.ending === 'live')
      lines.push('A model answered from there on; what it was asked is not compared.');
  }
  return lines.map(printable);
}

function callLines({ id, toolName, status, differences }: ReplayedCall): readonly string[] {
  return [`  ${id} ${toolName}: ${status}`, ...differences.map(({ text }) => `    ${text}`)];
}

function countsOf(items: readonly (ReplayedCall | ReplayedTurn)[]): string {
  const counts = new Map<string, number>();
  for (const { status } of items) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts.size === 0 ? 'none' : [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}
