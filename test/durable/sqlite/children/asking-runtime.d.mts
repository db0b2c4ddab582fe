import type { RunJournal, ToolRuntime } from 'weakincentives';

export function openAsking(folder: string, journal: RunJournal, runId: string): Promise<ToolRuntime>;
