export default { typedRoutes: false, turbopack: { root: import.meta.dirname } };
