// Written by `npm run generate` from openapi.json. Do not edit.

/** The service's operations by path, as its OpenAPI document describes them: the types of `client.request`. */
export interface paths {
    "/public/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an app from a store listing
         *
         * Reads an App Store listing, a Google Play listing or both, and creates an app on the caller's account. Its cost in credits is not documented.
         */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job's status and result
         *
         * Reads a job once. There are no webhooks: progress is followed by polling this operation.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/screenshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan a screenshot set
         *
         * Starts a background job that plans a screenshot set for an app. It costs 10 credits, charged when the job is accepted.
         */
        post: operations["createScreenshots"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * The device that the screenshots are planned for.
         */
        Device: "iphone-69" | "iphone-67" | "iphone-65" | "ipad-pro" | "android-phone" | "android-tablet";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Google Play URL. */
                    androidUrl?: string;
                    /** Free-text guidance to seed the generation, at most 2000 characters. */
                    extraContext?: string;
                    /** App Store URL. */
                    iosUrl: string;
                } | {
                    /** Google Play URL. */
                    androidUrl: string;
                    /** Free-text guidance to seed the generation, at most 2000 characters. */
                    extraContext?: string;
                    /** App Store URL. */
                    iosUrl?: string;
                };
            };
        };
        responses: {
            /** The app that was created. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Identifier to use when creating screenshot sets. */
                        appId: string;
                        /** URL of the app's icon image. */
                        artworkUrl: string;
                        /** Store category. */
                        category: string;
                        /** The app's name, read from the listing. */
                        name: string;
                    };
                };
            };
            /** The key is missing, invalid or revoked. When it is missing, the message names the headers that are accepted. The format of the body is not documented. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The `jobId` that the creation of the screenshot set returned. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The job as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Populated only when `status` is `failed`, null otherwise. Its fields are not documented. */
                        error: {
                            [key: string]: unknown;
                        } | null;
                        /** The `jobId`. */
                        id: string;
                        /** Populated only when `status` is `succeeded`. */
                        result: {
                            /** The device that the screenshots are planned for. */
                            device: components["schemas"]["Device"];
                            /** The planned slides. */
                            slides: {
                                [key: string]: unknown;
                            }[];
                        } | null;
                        /**
                         * Where the job stands. The transitions between the states are not documented.
                         */
                        status: "queued" | "running" | "succeeded" | "failed";
                    };
                };
            };
            /** The key is missing, invalid or revoked. When it is missing, the message names the headers that are accepted. The format of the body is not documented. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createScreenshots: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** An `appId` that the creation of an app returned. */
                    appId: string;
                    /**
                     * Length of the captions.
                     * @default short
                     */
                    captionLength?: "short" | "long";
                    /**
                     * Voice of the captions. Values other than the default are not documented.
                     * @default aso-expert
                     */
                    captionStyle?: string;
                    /**
                     * Number of slides, 1 to 10. Ignored when `narrativeId` is set.
                     * @default 5
                     */
                    count: number;
                    /** The device that the screenshots are planned for. */
                    device: components["schemas"]["Device"];
                    /** Slug of a narrative from the catalogue. Overrides `count`. */
                    narrativeId?: string;
                };
            };
        };
        responses: {
            /** The job was accepted and charged. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Credits charged and credits left. */
                        credits: {
                            /** Credits charged for this job (10). */
                            cost: number;
                            /** Credits left in the monthly allowance after the charge. */
                            remaining: number;
                        };
                        /** Identifier to poll the job with. */
                        jobId: string;
                    };
                };
            };
            /** The key is missing, invalid or revoked. When it is missing, the message names the headers that are accepted. The format of the body is not documented. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
