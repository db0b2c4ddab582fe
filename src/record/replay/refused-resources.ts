import { ResourceError } from '../../core/error/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import { type ResourceRefusal, type ResourceToken, tokenName } from '../../core/resource/index.ts';

/** Keeps all resources but files from the calls of a replay: they are those of the present, and a policy that asked one would ask a service that runs. */
export class RefusedResources implements ResourceRefusal {
  /** Names of those that calls have looked up. */
  readonly names: Set<string> = new Set();

  refuses(token: ResourceToken<unknown>): boolean {
    return token !== Filesystem;
  }

  refused(token: ResourceToken<unknown>): ResourceError {
    const name = tokenName(token);
    this.names.add(name);
    const what =
      token === Filesystem
        ? 'The evaluation binds a file system of its own, which is not part of the replay'
        : `The resource "${name}" is not part of the replay`;
    return new ResourceError('resource-refused', `${what}: resources: 'live' gives it to calls.`, {
      details: { token: name },
    });
  }
}
