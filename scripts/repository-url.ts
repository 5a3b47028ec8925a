/** A host name with a domain. It excludes addresses of this machine and its network. */
const publicHost = /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}$/i;

/** A repository's address without a scheme, such as `git@example.com:owner/name.git`. */
const scpLike = /^(?:[^@/:]+@)?([^@/:]+):(?!\/)(.+)$/;

/** The public URL of a repository, from its address in a clone, if others can reach that. */
export function repositoryUrl(remote: string): string | undefined {
  const address = remote.trim().replace(scpLike, "ssh://$1/$2");
  if (!/^(https|ssh|git):/.test(address) || !URL.canParse(address)) return undefined;
  const { hostname, pathname } = new URL(address);
  const path = pathname.replace(/\/$/, "").replace(/\.git$/, "");
  return publicHost.test(hostname) && path !== "" ? `git+https://${hostname}${path}.git` : undefined;
}
