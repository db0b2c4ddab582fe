/** The variable that instrumentations for generative AI share. */
const captureName = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

/** Whether spans hold the content of messages. Another value than the known ones is a problem, and means no. */
export function readCapture(
  variables: Readonly<Record<string, string | undefined>>,
  problems: Set<string>,
): 'none' | 'full' {
  const value = (variables[captureName] ?? '').trim().toLowerCase();
  if (['true', 'span_only', 'span_and_event'].includes(value)) return 'full';
  if (!['', 'false', 'no_content', 'event_only'].includes(value)) {
    problems.add(`${captureName} is not true or false; no content is recorded`);
  }
  return 'none';
}

/** Whether a text is a trace parent as W3C defines it: version, trace, parent and flags, none of the ids only zeros. */
export function isTraceParent(text: string): boolean {
  const [, version, traceId, parentId] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-.*)?$/.exec(text.trim()) ?? [];
  return version !== undefined && version !== 'ff' && !isZero(traceId ?? '0') && !isZero(parentId ?? '0');
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
