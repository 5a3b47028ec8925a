/** A host by name, so that an address of this machine or its network is none. */
const publicHost = /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}$/i;

/** What leads to a repository without a scheme, as in `git@example.com:owner/name.git`. */
const scpLike = /^(?:[^@/:]+@)?([^@/:]+):(?!\/)(.+)$/;

/**
 * Where everyone finds the repository, from the address that a clone has of it: with neither user nor password, and
 * `undefined` for what others cannot reach, such as a local path.
 */
export function repositoryUrl(remote: string): string | undefined {
  const address = remote.trim().replace(scpLike, "ssh://$1/$2");
  if (!/^(https|ssh|git):/.test(address) || !URL.canParse(address)) return undefined;
  const { hostname, pathname } = new URL(address);
  const path = pathname.replace(/\/$/, "").replace(/\.git$/, "");
  return publicHost.test(hostname) && path !== "" ? `git+https://${hostname}${path}.git` : undefined;
}
