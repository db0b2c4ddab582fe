import type { ReplayedCall, ReplayedTurn, ReplayReport } from '../../record/index.ts';
import { printable } from '../process/plain-text.ts';

/** How many differences are listed. */
const maxListed = 20;

/** The report of a replay for a person, line by line. */
export function replayReportLines(report: ReplayReport): readonly string[] {
  const { calls, turns, firstDifference, outcome, notes } = report;
  const lines = [
    `Calls: ${countsOf(calls)}. Requests: ${countsOf(turns)}.`,
    ...calls
      .filter(({ status }) => status === 'changed' || status === 'new')
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
        'The replay stopped there; --on-drift force goes on with the recorded answers, --on-drift continue with a model.',
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
