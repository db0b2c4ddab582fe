import { isRecord } from '../../../core/internal/index.ts';

/** What the evaluator process is asked for. Its answers are not trusted. */
export interface EvaluatorFunctions {
  /** Answers when it can run code, or cannot. */
  start(): { readonly ready: true } | UnusableEvaluator;
  /** Takes a request, of which no code runs yet. */
  take(request: EvaluationRequest): { readonly started: true };
  /** Runs the code of the request that was taken. */
  run(): EvaluationReply;
}

/** The languages that code can be written in. */
export type CodeEvaluationLanguage = 'javascript' | 'python';

/** What the process gets for one call. */
export interface EvaluationRequest {
  readonly language: CodeEvaluationLanguage;
  readonly code: string;
  readonly inputs: readonly (readonly [name: string, value: unknown])[];
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly writes: readonly string[];
  readonly timeoutMs: number;
  readonly maxMemoryBytes: number;
  readonly maxOutputBytes: number;
  readonly maxTotalFileBytes: number;
}

/** The value of the code. `json`: `value` is JSON text; `text`: a description of what JSON cannot represent; `none`: the code has no value. */
export interface EvaluatedValue {
  readonly kind: 'json' | 'text' | 'none';
  readonly value: string;
}

/** What the process answers; untrusted. */
export interface EvaluationReply extends EvaluatedValue {
  /** The reason is at the end of `stderr`. */
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly writes: readonly (readonly [path: string, text: string])[];
}

/** Why the process cannot run code. */
export interface UnusableEvaluator {
  readonly unusable: string;
  readonly language: CodeEvaluationLanguage;
  /** The package of the language is not installed. */
  readonly isMissing: boolean;
}

/** The message as a reply, or `undefined` when it is not one. */
export function readReply(message: unknown): EvaluationReply | undefined {
  if (!isRecord(message)) return undefined;
  const { failed, kind, value, stdout, stderr, writes } = message;
  if (typeof failed !== 'boolean') return undefined;
  if (kind !== 'json' && kind !== 'text' && kind !== 'none') return undefined;
  if (typeof value !== 'string' || typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
  if (!Array.isArray(writes)) return undefined;
  const written: (readonly [string, string])[] = [];
  for (const entry of writes as readonly unknown[]) {
    if (!Array.isArray(entry)) return undefined;
    const [path, text] = entry as readonly unknown[];
    if (typeof path !== 'string' || typeof text !== 'string') return undefined;
    written.push([path, text]);
  }
  return { failed, kind, value, stdout, stderr, writes: written };
}

/** The message as the reason why the process cannot run code, or `undefined` when it is not one. */
export function readUnusable(message: unknown): UnusableEvaluator | undefined {
  if (!isRecord(message)) return undefined;
  const { unusable, language, isMissing } = message;
  if (typeof unusable !== 'string' || typeof isMissing !== 'boolean') return undefined;
  return language === 'javascript' || language === 'python' ? { unusable, language, isMissing } : undefined;
}
