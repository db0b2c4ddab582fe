import type { Logger } from 'weakincentives';

/** One line that was logged. */
export interface LoggedLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that records its entries. */
export interface RecordingLogger extends Logger {
  readonly lines: readonly LoggedLine[];
}

export function recordingLogger(): RecordingLogger {
  const lines: LoggedLine[] = [];
  const at =
    (level: LoggedLine['level']): Logger['info'] =>
    (message, fields = {}) => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
