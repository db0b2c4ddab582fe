import { OutputWindow } from '../../process/output-window.ts';
import type { SandboxOutput } from './sandbox-backend.ts';

/** A window with half of the bytes for the beginning of an output and half for its end. */
export function outputWindow(maxOutputBytes: number): OutputWindow {
  const headBytes = Math.ceil(maxOutputBytes / 2);
  return new OutputWindow({ headBytes, tailBytes: maxOutputBytes - headBytes });
}

/**
 * What a window holds, as the output of a command.
 * @param clean changes the text of head and tail, such as to remove paths. Must not throw. Default: no change.
 */
export function sandboxOutput(
  window: OutputWindow,
  clean: (text: string) => string = (text) => text,
): SandboxOutput {
  const { totalBytes, omittedBytes } = window;
  const text =
    omittedBytes === 0
      ? clean(window.text())
      : `${clean(window.head())}\n[${omittedBytes} of ${totalBytes} bytes omitted]\n${clean(window.tail())}`;
  return { text, totalBytes, omittedBytes };
}
