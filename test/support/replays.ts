import type { EvaluateOptions, Prompt, ProviderAdapter } from 'weakincentives';
import { type RunRecord, readRunRecord, runRecorder } from 'weakincentives/record';

/** Runs a prompt and returns its record. A run that fails has one, too. */
export async function recordOf(
  adapter: ProviderAdapter,
  prompt: Prompt,
  options: EvaluateOptions = {},
): Promise<RunRecord> {
  return readRunRecord(await linesOf(adapter, prompt, options));
}

/** The lines of the record of a run. */
export async function linesOf(
  adapter: ProviderAdapter,
  prompt: Prompt,
  options: EvaluateOptions = {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  const recorder = runRecorder({ write: (line) => void lines.push(line) });
  try {
    await adapter.evaluate(prompt, { ...options, observers: [recorder] });
  } catch {
    // The record says how it failed.
  }
  await recorder.flush();
  return lines;
}
