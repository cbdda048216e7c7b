# Builds the package from the clone as `npm pack` does, and installs it with the versions of package-lock.json.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN mkdir /pack && npm pack --pack-destination /pack \
  && mkdir /install && tar -xzf /pack/groundswell-*.tgz -C /install --strip-components=1 \
  && cp package-lock.json .npmrc /install/
WORKDIR /install
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:22-bookworm-slim
ENV NODE_ENV=production GROUNDSWELL_DATA=/data
RUN install -d -m 0700 -o node -g node /data \
  && ln -s /opt/groundswell/bin/groundswell.js /usr/local/bin/groundswell
COPY --from=build /install /opt/groundswell
COPY packaging/health.js /opt/groundswell/health.js
# By number, so that a cluster can check that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 4319
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m --retries=3 \
  CMD ["node", "/opt/groundswell/health.js"]
ENTRYPOINT ["node", "/opt/groundswell/bin/groundswell.js"]
CMD ["serve", "--log", "json"]
