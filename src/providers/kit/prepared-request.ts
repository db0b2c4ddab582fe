import type { ModelRequest } from '../../core/runtime/index.ts';
import type { SchemaProjection } from '../../core/schema/index.ts';
import type { HostedTool } from '../../core/tool/index.ts';
import type { TypedTools } from './typed/provider-tool-registry.ts';

/** A request with what is needed to read its answer. */
export interface PreparedRequest<Body> {
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
  /** The schema of the arguments of each tool, by name. */
  readonly toolSchemas: ReadonlyMap<string, SchemaProjection>;
  readonly answerSchema: SchemaProjection | undefined;
  readonly hostedTools: readonly HostedTool[];
  /** The provider tools that it declares. Absent: none. */
  readonly typed?: TypedTools | undefined;
  /** The request that is answered: the number of the model call, and the conversation before it. */
  readonly asked: Pick<ModelRequest, 'turn' | 'conversation'>;
  /** True when the next request is compared with the answer of this one; absent otherwise. */
  readonly keepsResponseId?: boolean;
}
