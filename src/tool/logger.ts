/** Where the library and handlers write what is of use to an operator. Must not throw. */
export interface Logger {
  /** What helps to follow a run step by step. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What is worth knowing and no reason to act. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What went on, but not as it should. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What was lost or refused. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const ignore = (): void => undefined;

/** A logger that drops everything, the default. */
export const silentLogger: Logger = Object.freeze({
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
});
