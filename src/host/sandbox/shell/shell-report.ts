import { counted, showName } from '../../../core/internal/index.ts';
import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';

/** Paths that a report names. */
const maxNamed = 20;

/** How a command ended, as the end of a sentence. */
export function describeEnd(outcome: SandboxOutcome, timeoutMs: number): string {
  if (outcome.timedOut) return `timed out after ${timeoutMs / 1000} s and was killed`;
  if (outcome.exitCode !== undefined) return `ended with exit code ${outcome.exitCode}`;
  return `was killed by ${outcome.signal ?? 'a signal'}`;
}

/** The output of a command, as a model reads it: each stream under its name, and nothing for one that is empty. */
export function describeOutput(stdout: string, stderr: string): readonly string[] {
  return [
    ['stdout', stdout],
    ['stderr', stderr],
  ].flatMap(([name, text = '']) => (text === '' ? [] : [`${name}:\n${text.replace(/\n$/, '')}`]));
}

/** The processes that outlived the command. */
export function describeKilled({ killedProcesses }: SandboxOutcome): readonly string[] {
  if (killedProcesses === 0) return [];
  const were = killedProcesses === 1 ? 'was' : 'were';
  return [
    `${counted(killedProcesses, 'process', 'processes')} ${were} still running when the command had ended, and ${were} killed: nothing runs in the background.`,
  ];
}

/** What a command changed, and what of that could not be kept. */
export function describeChanges(report: StagedFolderReport): readonly string[] {
  const changes = [
    ['Created', report.created],
    ['Modified', report.modified],
    ['Removed', report.removed],
  ] as const;
  const lines = changes.flatMap(([verb, paths]) =>
    paths.length === 0 ? [] : [`${verb}: ${listPaths(paths)}.`],
  );
  return [...lines, ...describeSkipped(report)];
}

/** What a command left that could not be kept. */
export function describeSkipped({ skipped }: StagedFolderReport): readonly string[] {
  if (skipped.length === 0) return [];
  const paths = listPaths(skipped.map(({ path }) => path));
  return [`Not kept, because only regular files and directories are: ${paths}.`];
}

function listPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, maxNamed).map(showName).join(', ');
  return paths.length <= maxNamed ? shown : `${shown} and ${paths.length - maxNamed} more`;
}
