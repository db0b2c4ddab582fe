import type { HostedTool } from '../../core/tool/index.ts';

/** A hosted tool as rows hold it. */
export interface HostedToolPart extends Omit<HostedTool, 'type' | 'kind'> {
  readonly kind: HostedTool['type'];
  readonly hostedKind: HostedTool['kind'];
}

/** Rows keep the names that the members of a hosted tool had when the format was made. */
export function hostedToolPart({ type, kind, ...rest }: HostedTool): HostedToolPart {
  return { kind: type, hostedKind: kind, ...rest };
}
